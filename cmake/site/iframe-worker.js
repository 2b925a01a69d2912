// SPDX-License-Identifier: MIT
// Search on pages that are opened from the disk: browsers start no workers there, so the worker's script runs in a
// hidden frame.  Material's worker asks whether its parent has an IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const load = (source) => new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, {src: source, onload: done, onerror: failed});
        this.inside.document.body.append(script);
      });
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      this.inside.importScripts = (...sources) => sources.reduce((before, one) => before.then(() => load(one)),
                                                                 Promise.resolve());
      this.loaded = load(address);
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data})));
    }
  };
}
