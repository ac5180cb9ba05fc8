"use strict";

// Units are rows, cards and lines; a list inside of one has parts. A unit stays where it holds all words of the filter,
// and of a list only the parts with such a word, if there are any: then the list is unfolded.

const field = document.querySelector("#filter");
const tools = document.querySelector(".tools");
const button = tools.querySelector("button");
const shown = tools.querySelector("output");
const none = document.querySelector(".none");
const units = read("[data-unit]");
const sections = document.querySelectorAll("main > section");
const folded = [...document.querySelectorAll("details")];
const links = [...document.querySelectorAll("nav a")];
const wereOpen = new Set(folded.filter((one) => one.open));

function read(selector, root = document) {
  return [...root.querySelectorAll(selector)].map((element) => {
    return { element, text: element.textContent.toLowerCase(), lists: null };
  });
}

function listsOf(unit) {
  unit.lists ??= [...unit.element.querySelectorAll("[data-list]")].map((list) => read("[data-part]", list));
  return unit.lists;
}

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const one of folded) {
    one.open = wereOpen.has(one);
  }
  let rest = 0;
  for (const unit of units) {
    const fits = words.every((word) => unit.text.includes(word));
    unit.element.hidden = !fits;
    rest += fits ? 1 : 0;
    for (const parts of fits ? listsOf(unit) : []) {
      narrow(parts, words);
    }
  }
  for (const section of sections) {
    section.hidden = section.querySelector("[data-unit]") !== null && !section.querySelector("[data-unit]:not([hidden])");
  }
  for (const link of links) {
    link.parentElement.hidden = document.querySelector(link.getAttribute("href")).closest("[hidden]") !== null;
  }
  none.hidden = rest > 0;
  shown.textContent = words.length > 0 ? `${rest} of ${units.length} shown` : "";
}

function narrow(parts, words) {
  const fitting = parts.filter((part) => words.some((word) => part.text.includes(word)));
  const isNarrower = fitting.length > 0 && fitting.length < parts.length;
  const kept = new Set(isNarrower ? fitting : parts);
  for (const part of parts) {
    part.element.hidden = !kept.has(part);
  }
  if (isNarrower) {
    for (let at = fitting[0].element.closest("details"); at; at = at.parentElement.closest("details")) {
      at.open = true;
    }
  }
}

function unfold() {
  const isOpen = folded.some((one) => !one.open);
  for (const one of folded) {
    one.open = isOpen;
  }
  label();
}

function label() {
  button.textContent = folded.every((one) => one.open) ? "Fold all" : "Unfold all";
}

// In a frame without an address of its own, such a link would lead to the page around it.
function follow(event) {
  const link = event.target.closest("a[href^='#']");
  if (link) {
    event.preventDefault();
    document.querySelector(link.getAttribute("href")).scrollIntoView();
  }
}

if (location.protocol === "about:") {
  document.addEventListener("click", follow);
}
if (units.length > 0) {
  tools.hidden = false;
  button.hidden = folded.length === 0;
  field.addEventListener("input", filter);
  button.addEventListener("click", unfold);
  document.addEventListener("toggle", label, true);
}
