// The checker works without this script. With it, an answer appears without loading the page again, the address of the page
// holds the question in its fragment, which no server receives, and buttons copy texts and links.
"use strict";

(() => {
  const FIELDS = ["url", "robots", "urls", "html", "headers", "site", "old", "new"];
  // A link that is longer is cut by some programs.
  const MAX_LINK_CHARS = 32000;
  const MAX_QUESTION_BYTES = 4 * 1024 * 1024;
  const MESSAGE_MILLISECONDS = 5000;
  const status = document.getElementById("status");
  let asking = 0;
  // The question of the answer that is shown.
  let last = null;

  // Questions.

  function question(form) {
    return new URLSearchParams(new FormData(form)).toString();
  }

  function fill(text) {
    const fields = new URLSearchParams(text);
    for (const name of FIELDS) {
      const element = document.getElementById(name);
      if (element) element.value = fields.get(name) ?? "";
    }
  }

  // Shows a message for a while.
  function announce(text) {
    status.textContent = text;
    setTimeout(() => {
      if (status.textContent === text) status.textContent = "";
    }, MESSAGE_MILLISECONDS);
  }

  // Asks, and shows the answer. Only the last question is answered.
  async function ask(text) {
    const turn = ++asking;
    last = text;
    status.textContent = "Checking…";
    document.body.classList.add("busy");
    try {
      const response = await fetch("/", {
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
      announce("The answer is ready.");
      ready();
      const headline = document.querySelector("#answer h1");
      headline?.focus({ preventScroll: true });
      headline?.scrollIntoView({ block: "nearest" });
      window.scrollTo({ top: 0, behavior: "instant" });
    } catch (error) {
      if (turn === asking) status.textContent = `The service did not answer (${error.message}). Try again.`;
    } finally {
      if (turn === asking) document.body.classList.remove("busy");
    }
  }

  // Links: a question about a URL is readable, any other is compressed.

  async function fragment(text) {
    const fields = new URLSearchParams(text);
    if ([...fields.keys()].every((name) => name === "url")) return `#?${fields}`;
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return `#!${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
  }

  async function asked(hash) {
    if (hash.startsWith("#?")) return hash.slice(2);
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

  async function askLink() {
    let text = null;
    try {
      text = await asked(location.hash);
    } catch {
      status.textContent = "The link is damaged: it holds no question.";
    }
    if (text === null) return;
    fill(text);
    await ask(text);
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
    // Of an answer that came with the page, its form has the question.
    const field = document.querySelector("[data-link]")?.dataset.link;
    if (field) last ??= question(document.getElementById(field).form);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (typeof CompressionStream === "undefined") return;
    event.preventDefault();
    const text = question(form);
    fragment(text).then((hash) => {
      if (hash.length < MAX_LINK_CHARS) history.pushState(null, "", `/${hash}`);
      else history.pushState(null, "", "/");
      return ask(text);
    });
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
    // A place within the answer must not replace the question in the address.
    const link = event.target.closest("#answer a[href^='#']");
    const place = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!place || !/^#[?!]/.test(location.hash)) return;
    event.preventDefault();
    for (const old of document.querySelectorAll(".reached")) old.classList.remove("reached");
    place.classList.add("reached");
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "center" });
  });

  window.addEventListener("popstate", askLink);
  ready();
  askLink();
})();
