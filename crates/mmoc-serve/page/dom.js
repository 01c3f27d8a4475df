// Elements of the page. Text is always inserted as text: names come from models and files, and may be markup.

export const byId = (id) => document.getElementById(id);

/** An element with properties and children, which are elements or text. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Words about what went wrong beside what caused it; none if there are no words. */
export function complain(id, words = "") {
  byId(id).textContent = words;
}

/** Fills a list of choices. */
export function offer(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
  select.value = chosen;
}
