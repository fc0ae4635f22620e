/** The text of the editor in CodeMirror. */
import { history, historyKeymap, moveLineDown, moveLineUp, standardKeymap, undo } from '@codemirror/commands'
import { insertNewlineContinueMarkupCommand, markdownLanguage } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, Transaction } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Drawing, livePreview } from './live-preview'
import type { TextRange } from './markdown'
import type { TextSurface } from './surface'
import { THEME } from './theme'

/** What CodeMirror begins with, and what it calls. */
export interface CodeMirrorSetup {
  readonly text: string
  readonly selection: TextRange
  /** The attributes of the text, read after each update; see refresh. */
  readonly attributes: () => Readonly<Record<string, string>>
  /** Called after each change of the text. */
  readonly changed: () => void
  readonly drawing: Drawing
}

/** The surface, and what only CodeMirror needs. */
export interface CodeMirrorSurface extends TextSurface {
  /** Holds all of it, and its keys. */
  readonly root: ShadowRoot
  /** Where the list of titles is rendered. */
  readonly titles: HTMLElement
  /** Reads the attributes again. */
  refresh(): void
  close(): void
}

const NOT_BY_UNDO = Transaction.addToHistory.of(false)
/** The height that the list of titles needs, in CSS pixels; with less of it below the caret, it is above. */
const TITLES_HEIGHT = 320

/** Opens CodeMirror in a shadow root of `host`: there its styles are adopted style sheets, as `style-src 'self'` wants. */
export function openCodeMirror(host: HTMLElement, { text, selection, attributes, changed, drawing }: CodeMirrorSetup) {
  const root = host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets.push(copyRules())
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: selection.from, head: selection.to },
      extensions: [
        history(),
        keymap.of([
          { key: 'Enter', run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },
          ...[...historyKeymap, ...standardKeymap],
          { key: 'Alt-ArrowUp', run: moveLineUp },
          { key: 'Alt-ArrowDown', run: moveLineDown },
        ]),
        markdownLanguage,
        syntaxHighlighting(HIGHLIGHTS),
        EditorView.theme(THEME),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of(attributes),
        EditorView.contentAttributes.of({ class: 'markdown' }),
        livePreview(drawing),
        // As high as the bar of phones, and the outline of the text.
        EditorView.scrollMargins.of(() => ({ top: 64, bottom: 64 })),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) changed()
        }),
      ],
    }),
  })
  // On Android the keyboard composes in an EditContext, which is no element: its events reach no other.
  const context = 'editContext' in view.contentDOM ? view.contentDOM.editContext : null
  for (const type of ['compositionstart', 'compositionend'])
    if (context instanceof EventTarget) context.addEventListener(type, () => root.dispatchEvent(new Event(type)))
  if (selection.from > 0) view.dispatch({ effects: EditorView.scrollIntoView(selection.from, { y: 'center' }) })
  return surfaceOf(view, root)
}

/** The page's rules of formatted Markdown, which do not reach into a shadow root. */
function copyRules(): CSSStyleSheet {
  // Those of other origins, which extensions of the browser add, cannot be read.
  const own = [...document.styleSheets].filter(({ href }) => href === null || href.startsWith(location.origin))
  const rules = own.flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText)
  const copy = new CSSStyleSheet()
  copy.replaceSync(rules.filter((rule) => rule.includes('.markdown')).join('\n'))
  return copy
}

function surfaceOf(view: EditorView, root: ShadowRoot): CodeMirrorSurface {
  const titles = view.dom.appendChild(document.createElement('div'))
  return {
    root,
    titles,
    readText: () => view.state.doc.toString(),
    readSelection: () => view.state.selection.main,
    edit(changes, { from, to }, by) {
      view.dispatch({
        changes,
        selection: { anchor: from, head: to },
        scrollIntoView: by === 'person',
        ...(by === 'person' ? { userEvent: 'input' } : { annotations: NOT_BY_UNDO }),
      })
    },
    hasFocus: () => view.hasFocus,
    focus: () => view.focus(),
    undo: () => undo(view),
    findOffset: (x, y) => view.posAtCoords({ x, y }),
    findPlace(offset) {
      const caret = view.coordsAtPos(offset)
      if (!caret) return null
      const { left, top } = view.dom.getBoundingClientRect()
      const isAbove =
        caret.bottom + TITLES_HEIGHT > (visualViewport?.height ?? innerHeight) && caret.top > TITLES_HEIGHT
      return { left: caret.left - left, top: (isAbove ? caret.top : caret.bottom) - top, isAbove }
    },
    refresh: () => view.dispatch({}),
    close: () => view.destroy(),
  }
}

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: 'var(--mono)' },
  { tag: tags.link, color: 'var(--green)' },
  { tag: [tags.url, tags.meta, tags.processingInstruction, tags.comment], color: 'var(--quiet)' },
])
