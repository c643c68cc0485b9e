// The checker works without this script. With it, an answer appears without loading the page again, the address of the page
// holds the question in its fragment, which no server receives, and buttons copy texts and links.
"use strict";

(() => {
  // The fields of a question about a URL.
  const READABLE = ["url", "robot"];
  // A link that is longer is cut by some programs.
  const MAX_LINK_CHARS = 32000;
  const MAX_QUESTION_BYTES = 4 * 1024 * 1024;
  const MESSAGE_MILLISECONDS = 5000;
  const status = document.getElementById("status");
  let asking = 0;
  let navigations = 0;
  // The question of the answer that is shown; null on the start page.
  let last = null;
  // The question of the page as the service sent it.
  let initial = null;

  // Questions.

  function question(form) {
    const fields = new URLSearchParams(new FormData(form));
    if (!fields.get("robot")) fields.delete("robot");
    return fields.toString();
  }

  // Sets the fields of all forms: those of a question, or none.
  function fill(text) {
    const fields = new URLSearchParams(text ?? "");
    for (const element of document.querySelectorAll(".question :is(input, textarea)[name]")) {
      if (element.type === "checkbox") element.checked = fields.has(element.name);
      else element.value = fields.get(element.name) ?? "";
    }
  }

  // Shows a message for a while.
  function announce(text) {
    status.textContent = text;
    setTimeout(() => {
      if (status.textContent === text) status.textContent = "";
    }, MESSAGE_MILLISECONDS);
  }

  // Asks, and shows the answer; without a question, the start page. Only the last question is answered.
  async function ask(text) {
    const turn = ++asking;
    last = text;
    status.textContent = text === null ? "" : "Checking…";
    document.body.classList.add("busy");
    try {
      const response = await fetch("/", text === null ? { headers: { Accept: "text/html" } } : {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" },
        body: text,
      });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (turn !== asking) return;
      const main = page.getElementById("main");
      if (!main) throw new Error(`status ${response.status}`);
      main.querySelector("#status")?.remove();
      for (const old of [...document.getElementById("main").children]) if (old !== status) old.remove();
      status.before(...main.children);
      document.title = page.title;
      // A page about a limit of the service does not have the question.
      if (!response.ok) fill(text);
      ready();
      if (text === null) return;
      announce("The answer is ready.");
      const headline = document.querySelector("#answer h1");
      headline?.focus({ preventScroll: true });
      headline?.scrollIntoView({ block: "nearest" });
      window.scrollTo({ top: 0, behavior: "instant" });
    } catch (error) {
      if (turn !== asking) return;
      // An answer to another question must not be taken for one to this.
      document.getElementById("answer")?.replaceChildren();
      fill(text);
      status.textContent = `The service did not answer (${error.message}). Try again.`;
    } finally {
      if (turn === asking) document.body.classList.remove("busy");
    }
  }

  // Links: a question about a URL is readable, any other is compressed. None says that a site is the visitor's.

  function withoutClaim(text) {
    const fields = new URLSearchParams(text);
    fields.delete("own");
    return fields.toString();
  }

  async function fragment(question) {
    const text = withoutClaim(question);
    const fields = new URLSearchParams(text);
    if ([...fields.keys()].every((name) => READABLE.includes(name))) return `#?${fields}`;
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return `#!${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  }

  async function asked(hash) {
    if (hash.startsWith("#?")) return hash.slice(2) || null;
    if (!hash.startsWith("#!")) return null;
    const binary = atob(hash.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > MAX_QUESTION_BYTES) throw new Error("too long");
    }
  }

  // Shows the answer to the question of the present entry of the history, unless it is shown already. A question is in the fragment
  // of the address, in the state of the entry if it is too long for a link, or else that of the page as the service sent it.
  async function show() {
    const turn = ++navigations;
    let text = history.state?.question ?? null;
    let isDamaged = false;
    try {
      if (text === null) {
        const linked = await asked(location.hash);
        text = linked === null ? initial : withoutClaim(linked);
      }
    } catch {
      isDamaged = true;
    }
    if (turn !== navigations) return;
    if (text !== last) {
      fill(text);
      await ask(text);
    }
    if (isDamaged) status.textContent = "The link is damaged: it holds no question.";
  }

  // Buttons.

  async function copy(text, field, output) {
    try {
      await navigator.clipboard.writeText(text);
      output.textContent = "Copied.";
    } catch {
      field.hidden = false;
      field.value = text;
      field.select();
      output.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
    }
  }

  async function copyLink(button, output) {
    const tools = button.parentElement;
    const link = location.origin + location.pathname + (await fragment(last));
    if (link.length > MAX_LINK_CHARS) {
      output.textContent = "This question is too long for a link.";
      return;
    }
    await copy(link, tools.querySelector("input"), output);
  }

  // Parts of the page that only work with this script.
  function ready() {
    for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;
  }

  // Returns the question of the page as the service sent it: that of its query, or of the form of its answer. The box is not ticked
  // if a link of another site asked.
  function sent() {
    const query = document.querySelector("input[name=own]").defaultChecked
      ? new URLSearchParams(location.search).toString() : withoutClaim(location.search);
    const field = document.querySelector("[data-link]")?.dataset.link;
    return query || (field ? question(document.getElementById(field).form) : null);
  }

  // Asks a question, whose entry of the history has what its link cannot hold.
  async function navigate(text) {
    const turn = ++navigations;
    const hash = await fragment(text);
    if (turn !== navigations) return;
    const isWhole = hash.length < MAX_LINK_CHARS && withoutClaim(text) === text;
    history.pushState(isWhole ? null : { question: text }, "", hash.length < MAX_LINK_CHARS ? `/${hash}` : "/");
    ask(text);
  }

  document.addEventListener("submit", (event) => {
    if (typeof CompressionStream === "undefined") return;
    event.preventDefault();
    navigate(question(event.target));
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy]");
    if (button) {
      const output = button.parentElement.querySelector("output");
      if (button.dataset.copy === "link") copyLink(button, output);
      else {
        const field = document.getElementById(button.dataset.copy);
        copy(field.value, field, output);
      }
      return;
    }
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    const next = event.target.closest("a.next");
    if (next && isPlain && typeof CompressionStream !== "undefined") {
      event.preventDefault();
      const text = new URL(next.href).searchParams.toString();
      fill(text);
      navigate(text);
      return;
    }
    // A place within the page must not replace the question in the address, or in the state of its entry.
    const link = event.target.closest("a[href^='#']");
    const place = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!place || !isPlain) return;
    event.preventDefault();
    for (let part = place.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    for (const old of document.querySelectorAll(".reached")) old.classList.remove("reached");
    if (place.closest("#answer")) place.classList.add("reached");
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
  });

  window.addEventListener("popstate", show);
  // Browsers restore fields when a page is loaded again: the shown answer has those of its question.
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted && last !== null) fill(last);
  });
  initial = sent();
  last = initial;
  ready();
  show();
})();
