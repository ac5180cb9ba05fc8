/**
 * The editors of the page, and the view of a diff: CodeMirror, with the classes of style.css for its colours.
 *
 * @import {Completion, CompletionContext, CompletionResult} from "@codemirror/autocomplete"
 * @import {Diagnostic} from "@codemirror/lint"
 * @import {Extension} from "@codemirror/state"
 * @import {DecorationSet, ViewUpdate} from "@codemirror/view"
 */

import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSetBuilder } from "@codemirror/state";
import { classHighlighter } from "@lezer/highlight";
import {
  Decoration,
  EditorView,
  ViewPlugin,
  drawSelection,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";

/** A carriage return stays in its line, so that a text keeps its bytes. */
const LINES = EditorState.lineSeparator.of("\n");
const READING = [LINES, search({ top: true }), highlightSpecialChars(), EditorView.contentAttributes.of({ translate: "no" })];

/** An editor of YAML whose text can be replaced. */
export class Editor {
  #view;
  #extensions;
  #isReplaced = false;

  /**
   * @param {HTMLElement} parent
   * @param {string} label  what it holds, for those who do not see it
   * @param {() => void} onEdit  called after each change by a person
   * @param {((context: CompletionContext) => CompletionResult | null) | undefined} complete
   * @param {string} [hint]  shown while it is empty
   */
  constructor(parent, label, onEdit, complete, hint) {
    this.#extensions = [
      ...READING,
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      indentUnit.of("  "),
      lintGutter(),
      yaml(),
      syntaxHighlighting(classHighlighter),
      ...(hint ? [placeholder(hint)] : []),
      ...(complete ? [autocompletion({ override: [complete] })] : []),
      keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !this.#isReplaced) {
          onEdit();
        }
      }),
    ];
    this.#view = new EditorView({ parent, state: this.#stateOf("") });
  }

  /** @param {string} doc */
  #stateOf(doc) {
    return EditorState.create({ doc, extensions: this.#extensions });
  }

  get text() {
    return this.#view.state.sliceDoc();
  }

  /** The text; a new one has no history, because it may be of another file. */
  set text(text) {
    this.#isReplaced = true;
    this.#view.setState(this.#stateOf(text));
    this.#isReplaced = false;
  }

  /**
   * Puts the cursor into a place, and the focus here.
   *
   * @param {number} number  of the line, counted from 1
   * @param {number} column  counted from 1
   */
  showPlace(number, column) {
    const { doc } = this.#view.state;
    const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
    const anchor = Math.min(line.from + column - 1, line.to);
    this.#view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.#view.focus();
  }

  /**
   * Marks lines, from a column on.
   *
   * @param {{line: number, column: number, severity: Diagnostic["severity"], message: string}[]} marks
   */
  mark(marks) {
    const { doc } = this.#view.state;
    const diagnostics = marks
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .map(({ line, column, severity, message }) => {
        const { from, to } = doc.line(line);
        return { from: Math.min(from + column - 1, to), to, severity, message };
      });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }
}

const LINE_CLASSES = new Map([
  ["+", Decoration.line({ class: "added" })],
  ["-", Decoration.line({ class: "removed" })],
  ["@", Decoration.line({ class: "place" })],
  ["\\", Decoration.line({ class: "place" })],
]);
const FILE = Decoration.line({ class: "file" });

/** Colours the lines of a diff that can be seen; a long one is not looked at as a whole. */
const diffColours = ViewPlugin.fromClass(
  class {
    /** @param {EditorView} view */
    constructor(view) {
      this.decorations = linesOf(view);
    }

    /** @param {ViewUpdate} update */
    update(update) {
      if (update.docChanged || update.viewportChanged) {
        this.decorations = linesOf(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/**
 * @param {EditorView} view
 * @returns {DecorationSet}
 */
function linesOf(view) {
  const builder = /** @type {RangeSetBuilder<Decoration>} */ (new RangeSetBuilder());
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const isFile = /^(--- (a\/|\/dev\/null)|\+\+\+ (b\/|\/dev\/null))/.test(line.text);
      const decoration = isFile ? FILE : LINE_CLASSES.get(line.text[0]);
      if (decoration) {
        builder.add(line.from, line.from, decoration);
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

/** A diff that can be read, searched and selected. */
export class DiffView {
  #view;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.#view = new EditorView({ parent, state: stateOfDiff("") });
  }

  /** @param {string} text */
  set text(text) {
    this.#view.setState(stateOfDiff(text.replace(/\n$/, "")));
  }
}

/** @param {string} doc */
function stateOfDiff(doc) {
  const extensions = [
    ...READING,
    diffColours,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ "aria-label": "Diff", tabindex: "0" }),
    keymap.of(searchKeymap),
  ];
  return EditorState.create({ doc, extensions });
}
