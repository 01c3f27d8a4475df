// Numbers and names in words.

/** A probability. */
export function percent(probability) {
  const hundredths = 100 * probability;
  if (hundredths > 0 && hundredths < 0.1) return "< 0.1 %";
  return `${hundredths.toFixed(1)} %`;
}

/** A label set. */
export const setText = (labels) => (labels.length > 0 ? labels.join(", ") : "no label");

/** A contribution, with its sign. */
export const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(2)}`;

/** A value of a feature. */
export const shortNumber = (number) => (number == null ? "missing" : String(Number(number.toPrecision(4))));

const TERMS = {
  labels: "Classifiers of labels",
  code: "Output code",
  rest: "Outside of the code",
  frequency: "Frequency of the set",
  neighbours: "Nearest training rows",
  forest: "Random forest",
};

/** What a term of the posterior is called. */
export function termText(name) {
  const plain = name.replace(/-rbf$/, "");
  const text = Object.hasOwn(TERMS, plain) ? TERMS[plain] : name;
  return plain === name || !Object.hasOwn(TERMS, plain) ? text : `${text}, radial`;
}

const DECISIONS = {
  subset: "exact sets",
  hamming: "single labels",
  f1: "F1 of rows",
  "micro-f1": "micro-F1",
  "macro-f1": "macro-F1",
};

/** What a decision makes label sets best in. */
export const decisionText = (name) => DECISIONS[name] ?? name;
