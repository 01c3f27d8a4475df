// The search of pages that are opened from a folder. Browsers start no worker there, so its script runs in a hidden
// frame, which has global names of its own. The theme knows the file by its name.

class FrameWorker extends EventTarget {
  constructor(address) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    // A document of the page, not of another file: the page may touch it.
    frame.srcdoc = "<!doctype html>";
    this.scope = new Promise((resolve) => {
      frame.addEventListener("load", () => this.run(address, frame.contentWindow, resolve), { once: true });
    });
    document.body.append(frame);
  }

  run(address, scope, resolve) {
    scope.postMessage = (data) => this.dispatchEvent(message(window, data));
    const script = scope.document.createElement("script");
    script.src = new URL(address, location.href).href;
    script.addEventListener("load", () => resolve(scope));
    scope.document.head.append(script);
  }

  async postMessage(data) {
    const scope = await this.scope;
    scope.dispatchEvent(message(scope, data));
  }
}

// As between threads, each side has a copy of its own.
const message = (receiver, data) => new receiver.MessageEvent("message", { data: receiver.structuredClone(data) });

if (location.protocol === "file:") window.Worker = FrameWorker;
