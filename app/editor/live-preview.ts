/**
 * Shows Markdown in CodeMirror as it is read, except on the lines of the caret and the selection, which show their marks.
 * Only what is in view is decorated.
 */
import { syntaxTree } from '@codemirror/language'
import type { Range } from '@codemirror/state'
import { Decoration, type EditorView, ViewPlugin, type ViewUpdate, WidgetType } from '@codemirror/view'
import { h, render, type VNode } from 'preact'
import type { findMaths } from '../../src/lib/markdown/maths'
import type { readCallout } from '../../src/notes/markdown/extensions'

/** What reads and draws Markdown elsewhere in the app. It is given, since it belongs to what is loaded before. */
export interface Drawing {
  /** Makes the elements of Markdown: of a picture, a formula, an embedded note. */
  readonly draw: (markdown: string) => VNode
  readonly findMaths: typeof findMaths
  readonly readCallout: typeof readCallout
}

type Node = ReturnType<typeof syntaxTree>['topNode']

const WIKI = /(!?)\[\[([^[\]\n]+)\]\]|==(?=\S)[^=\n]+?==/g
const MARK = /^(?:(?:Emphasis|Strikethrough|Header|Quote|Code)Mark|HorizontalRule)$/
/** Characters of the longest front matter and of the longest part of a formula out of view. */
const MAX_CHARS = 4000

export const livePreview = (drawing: Drawing) =>
  ViewPlugin.define(
    (view) => {
      const decorate = () => {
        const found = view.visibleRanges.map(({ from, to }) => new Painter(view, drawing, from, to).paint())
        return Decoration.set(found.flat(), true)
      }
      return {
        decorations: decorate(),
        update({ state, startState, docChanged, viewportChanged, selectionSet, focusChanged }: ViewUpdate) {
          const isRead = syntaxTree(state) !== syntaxTree(startState)
          if (isRead || docChanged || viewportChanged || selectionSet || focusChanged) this.decorations = decorate()
        },
      }
    },
    { decorations: ({ decorations }) => decorations },
  )

/** Finds the decorations of a part of the text. */
class Painter {
  readonly #found: Range<Decoration>[] = []
  /** What is drawn in place of its source: nothing within is markup. */
  readonly #drawn: (readonly [from: number, to: number])[] = []
  readonly #doc
  readonly #selected
  #start: number

  constructor(
    private readonly view: EditorView,
    private readonly drawing: Drawing,
    from: number,
    private readonly to: number,
  ) {
    this.#doc = view.state.doc
    this.#selected = view.hasFocus ? view.state.selection.ranges : []
    this.#start = from
  }

  paint(): Range<Decoration>[] {
    const front = /^---\n(?:[\s\S]*?\n)?---(?=\n|$)/.exec(this.#doc.sliceString(0, MAX_CHARS))?.[0].length ?? 0
    if (this.#start < front) this.#markLines(this.#start, front, { class: 'cm-block' })
    this.#start = Math.max(this.#start, front)
    if (this.#start >= this.to) return this.#found
    this.#paintMaths()
    this.#paintWiki()
    syntaxTree(this.view.state).iterate({
      from: this.#start,
      to: this.to,
      enter: ({ node }) => {
        if (node.to <= this.#start || this.#drawn.some(([from, to]) => from <= node.from && node.to <= to)) return false
        return this.#paintNode(node)
      },
    })
    return this.#found
  }

  /** Whether the caret or the selection is on a line of the range. */
  #isActive(from: number, to: number): boolean {
    const [start, end] = [this.#doc.lineAt(from).from, this.#doc.lineAt(to).to]
    return this.#selected.some((range) => range.from <= end && range.to >= start)
  }

  #add(decoration: Decoration, from: number, to = from): void {
    this.#found.push(decoration.range(from, to))
  }

  #hide(from: number, to: number, widget?: WidgetType): void {
    if (from >= to || this.#isActive(from, to) || this.#doc.lineAt(from).to < to) return
    this.#add(Decoration.replace(widget ? { widget } : {}), from, to)
  }

  /** The lines of a range, as far as they are in view. */
  *#linesOf(from: number, to: number) {
    for (let at = Math.max(from, this.#start); at <= Math.min(to, this.to); ) {
      const line = this.#doc.lineAt(at)
      yield line
      at = line.to + 1
    }
  }

  #markLines(from: number, to: number, attributes: Record<string, string>): void {
    for (const line of this.#linesOf(from, to)) this.#add(Decoration.line({ attributes }), line.from)
  }

  /** Draws a range in place of its source, which may be several lines: all but the first have no height then. */
  #place(from: number, to: number): void {
    if (this.#isActive(from, to)) return
    this.#drawn.push([from, to])
    const first = this.#doc.lineAt(from)
    const widget = this.#draw(this.#doc.sliceString(from, to))
    this.#add(Decoration.replace({ widget }), from, Math.min(to, first.to))
    for (const line of this.#linesOf(first.to + 1, to)) {
      const end = Math.min(line.to, to)
      if (line.from < end) this.#add(Decoration.replace({}), line.from, end)
      if (end === line.to) this.#add(Decoration.line({ class: 'cm-gone' }), line.from)
    }
  }

  #paintMaths(): void {
    const above = this.#doc.sliceString(Math.max(0, this.#start - MAX_CHARS), this.#start)
    // No formula has a blank line.
    const begin = this.#start - above.length + above.lastIndexOf('\n\n') + 1
    const text = this.#doc.sliceString(begin, this.to + MAX_CHARS)
    for (const [from, to] of this.drawing.findMaths(text)) {
      const [start, end] = [begin + from, begin + to]
      const isInView = end > this.#start && start < this.to
      if (text[from] === '$' && isInView && !this.#isCode(start)) this.#place(start, end)
    }
  }

  #paintWiki(): void {
    for (const match of this.#doc.sliceString(this.#start, this.to).matchAll(WIKI)) {
      const [all, isEmbed, target] = match
      const from = this.#start + match.index
      const to = from + all.length
      if (this.#isCode(from) || this.#drawn.some(([start, end]) => start <= from && to <= end)) continue
      if (isEmbed) this.#place(from, to)
      else {
        const alias = target ? target.indexOf('|') + 1 : 0
        this.#add(Decoration.mark(target ? { class: 'cm-link' } : { tagName: 'mark' }), from, to)
        this.#hide(from, from + 2 + alias)
        this.#hide(to - 2, to)
      }
    }
  }

  #isCode(at: number): boolean {
    for (let node: Node | null = syntaxTree(this.view.state).resolveInner(at, 1); node; node = node.parent)
      if (/Code/.test(node.name)) return true
    return false
  }

  /** Decorates a node. Returns false if it has no marks within. */
  #paintNode(node: Node): boolean {
    const { name, from, to, parent } = node
    const [, level] = /^(?:ATX|Setext)Heading(\d)$/.exec(name) ?? []
    if (level) this.#markLines(from, from, { class: `cm-heading cm-h${level}` })
    if (/Code(?:Block)?$/.test(name) && name !== 'InlineCode') this.#markLines(from, to, { class: 'cm-block' })
    // A block of code shows its fences with the caret anywhere in it.
    const isOfActive = parent?.name === 'FencedCode' && this.#isActive(parent.from, parent.to)
    if (MARK.test(name) && !isOfActive) this.#hide(from, to + (/^[HQ]/.test(name) ? this.#spaces(to) : 0))
    if (name === 'Escape' || name === 'Autolink') this.#hide(from, from + 1)
    if (name === 'Autolink') this.#hide(to - 1, to)
    if (name === 'InlineCode') this.#add(Decoration.mark({ tagName: 'code' }), from, to)
    if (name === 'HorizontalRule' && !this.#isActive(from, to)) this.#markLines(from, from, { class: 'cm-rule' })
    if (name === 'Blockquote') this.#paintQuote(from, to)
    if (name === 'TaskMarker') this.#paintBox(node)
    return name === 'Link' || name === 'Image' ? this.#paintLink(node) : true
  }

  #spaces(at: number): number {
    return /^[ \t]*/.exec(this.#doc.sliceString(at, at + 9))?.[0].length ?? 0
  }

  #paintQuote(from: number, to: number): void {
    const first = this.#doc.lineAt(from)
    const text = first.text.slice(from - first.from).replace(/^>[ \t]?/, '')
    const callout = this.drawing.readCallout({ text, from: 0, to: text.length, base: 0 })
    const ofCallout = callout && { class: 'cm-quote md-callout', 'data-callout': callout.kind }
    this.#markLines(from, to, ofCallout ?? { class: 'cm-quote' })
    if (!callout || first.from < this.#start) return
    this.#markLines(first.from, first.from, { class: 'cm-callout-title' })
    const start = first.to - text.length
    const isNamed = typeof callout.title !== 'string'
    const sign = /^\[![^\]]*\][+-]?[ \t]*/.exec(text)?.[0].length ?? 0
    this.#hide(start, start + sign, isNamed ? undefined : this.#draw(`${callout.title}`))
  }

  /** A check box takes no focus: the caret stays where it is, and a phone shows no keyboard. */
  #paintBox({ from, to, parent }: Node): void {
    const start = parent?.parent?.getChild('ListMark')?.from ?? from
    const isChecked = /x/i.test(this.#doc.sliceString(from, to))
    const label = this.#doc.sliceString(to, this.#doc.lineAt(to).to).trim()
    const toggle = ({ currentTarget }: MouseEvent) => {
      const at = this.view.posAtDOM(currentTarget as HTMLElement) + to - start - 2
      this.view.dispatch({ changes: { from: at, to: at + 1, insert: isChecked ? ' ' : 'x' }, userEvent: 'input' })
    }
    const attributes = { type: 'checkbox', checked: isChecked, 'aria-label': label, onClick: toggle }
    const box = () => h('input', { ...attributes, onMouseDown: (event: MouseEvent) => event.preventDefault() })
    this.#hide(start, to, new Drawn(`${isChecked} ${to - start} ${label}`, box))
  }

  #draw(markdown: string): WidgetType {
    return new Drawn(markdown, () => this.drawing.draw(markdown))
  }

  /** Brackets without an address are text. */
  #paintLink(node: Node): boolean {
    const { from, to } = node
    const end = node.getChildren('LinkMark')[1]
    if (!node.getChild('URL') || !end) return true
    if (node.name === 'Image') {
      this.#place(from, to)
      return false
    }
    this.#add(Decoration.mark({ class: 'cm-link' }), from, to)
    this.#hide(from, from + 1)
    this.#hide(end.from, to)
    return true
  }
}

/** Elements in place of a part of the text. A click beside their controls shows the source. */
class Drawn extends WidgetType {
  /** @param source equal ones are drawn the same */
  constructor(
    private readonly source: string,
    private readonly make: () => VNode,
  ) {
    super()
  }

  override eq({ source }: Drawn): boolean {
    return source === this.source
  }

  toDOM(): HTMLElement {
    const place = document.createElement('span')
    place.className = 'cm-drawn'
    render(this.make(), place)
    return place
  }

  override destroy(place: HTMLElement): void {
    render(null, place)
  }

  override ignoreEvent({ target }: Event): boolean {
    return target instanceof Element && target.closest('a, button, summary, audio, video, input') !== null
  }
}
