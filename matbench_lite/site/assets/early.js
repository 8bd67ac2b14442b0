// Runs before anything is shown: a few lines that must not be late.

// The stylesheet may count on the script from here on: nothing moves when the script itself runs.
document.documentElement.classList.add("mbl-js");

// Pages that are opened from a folder may not start a worker, and the theme searches in one. There, this stands in:
// the same script runs in a hidden frame and gets the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      const start = () => {
        document.body.append(frame);
        const inside = frame.contentWindow;
        const script = inside.document.createElement("script");
        // What the script posts goes to its owner, not to itself.
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        script.onload = () => {
          this.inside = inside;
          this.waiting.forEach((data) => this.postMessage(data));
        };
        script.src = new URL(address, location);
        inside.document.head.append(script);
      };
      document.body ? start() : addEventListener("DOMContentLoaded", start);
    }

    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }

    terminate() {}
  };
}
