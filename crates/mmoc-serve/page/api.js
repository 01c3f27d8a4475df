// What the server is asked. Addresses are relative, so that the page works under any prefix.

let token = "";

/** The token that requests bear from now on. It is kept in memory alone. */
export function useToken(given) {
  token = given;
}

/** An answer that says no. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch {
    throw new Refused(0, "The server does not answer.");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new Refused(response.status, body?.error ?? `The server answered with status ${response.status}.`);
}

const addressOf = (model) => `v1/models/${encodeURIComponent(model)}`;

/** The models that are served. */
export const models = async () => (await ask("v1/models")).models;

/** Columns, labels, decisions and terms of a model. */
export const describe = (model) => ask(addressOf(model));

/** The predictions of rows. */
export async function predict(model, question) {
  const body = JSON.stringify(question);
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(`${addressOf(model)}/predict`, { method: "POST", headers, body });
  return answer.predictions;
}
