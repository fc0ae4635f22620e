import { type Signal, signal } from '@preact/signals'
import { latinKey } from '../shell/keyboard'
import { endQuote, indentBlock, isInFence } from './lists'
import type { Drawing } from './live-preview'
import {
  type Change,
  caretAt,
  completeLink,
  findLinkQuery,
  linkWords,
  makeLink,
  type TextRange,
  toggleMark,
} from './markdown'
import {
  changeFromOutside,
  Echoes,
  makePlaceholder,
  normalizeLineEnds,
  placeAfter,
  uploaded,
  uploading,
  withoutPlaceholders,
  withTyped,
} from './outside'
import { type Suggestions, suggest, type Title } from './suggestions'
import type { TextSurface } from './surface'

/** What the owner of an editor gives; see EditorProps. */
export interface Owner {
  readonly onChange: (text: string) => void
  readonly completions: (query: string) => readonly Title[]
  readonly onPasteFiles: (files: readonly File[]) => Promise<string>
  readonly draw: Drawing['draw']
}

/** Handles the keys, files and outside changes of one editor. */
export class Controller {
  /** The titles that complete the link before the caret. */
  readonly suggestions: Signal<Suggestions | null> = signal(null)
  /** What a screen reader says of files. */
  readonly status = signal('')
  readonly #owner: () => Owner
  #shown: TextSurface | null = null
  readonly #echoes: Echoes
  /** Every placeholder that was made: the undo key can bring back one that is gone. */
  readonly #placeholders: string[] = []
  readonly #waiting = new Set<string>()
  #isComposing = false
  #isEditing = false
  /** Called once no text is being composed. */
  #afterComposing: (() => void)[] = []
  #foreignText: string | null = null
  /** What the editor held when a text from elsewhere came while one was composed. */
  #heldText: string | null = null
  /** Where the link begins whose suggestions were closed by Escape. */
  #dismissed = -1
  /** Whether Escape was the last key: Tab then moves the focus on. */
  #isLeaving = false
  /** Whether the last keys were those that paste plain text: some browsers give the HTML with it. */
  #pastesPlain = false

  /** @param text what the editor begins with, with `\n` as the line end */
  constructor(text: string, owner: () => Owner) {
    this.#echoes = new Echoes(text)
    this.#owner = owner
  }

  /** The surface that the person types into. */
  get surface(): TextSurface {
    if (!this.#shown) throw new Error('the editor is not shown')
    return this.#shown
  }

  set surface(surface: TextSurface) {
    this.#shown = surface
  }

  /**
   * Listens to what holds the surface, before the surface itself does: the shadow root of CodeMirror, which tells of the keys of
   * phones only there. Returns what ends that.
   */
  listenTo(container: EventTarget): () => void {
    const ended = new AbortController()
    const listen = <Kind extends Event>(type: string, work: (event: Kind) => void) =>
      container.addEventListener(type, (event) => work(event as Kind), { capture: true, signal: ended.signal })
    listen<KeyboardEvent>('keydown', (event) => this.#onKey(event))
    listen('keyup', () => this.#closeIfLeft())
    listen('focusout', () => this.#close())
    listen('compositionstart', () => this.#setComposing(true))
    listen('compositionend', () => this.#setComposing(false))
    listen<MouseEvent>('mousedown', (event) => this.#onMouseDown(event))
    listen<MouseEvent>('click', (event) => this.#onClick(event))
    listen<ClipboardEvent>('paste', (event) => this.#onPaste(event))
    listen<DragEvent>('dragover', (event) => acceptFiles(event))
    listen<DragEvent>('drop', (event) => this.#onDrop(event))
    return () => ended.abort()
  }

  /** Takes a text of the owner: one that was changed elsewhere replaces what the editor holds. */
  setText(text: string): void {
    const given = normalizeLineEnds(text)
    this.#foreignText = this.#echoes.isForeign(given) ? given : null
    if (this.#foreignText !== null && this.#isComposing) this.#heldText ??= this.#readPlain()
    this.whenNotComposing(() => this.#replaceByForeign())
  }

  /** Inserts Markdown in place of the selection. */
  insert(markdown: string): void {
    const range = this.surface.readSelection()
    this.#change({ edit: { ...range, insert: markdown }, selection: caretAt(range.from + markdown.length) })
  }

  /** Does to the text what a button or a key means. */
  apply(make: (text: string, range: TextRange) => Change | null): boolean {
    const { surface } = this
    const change = make(surface.readText(), surface.readSelection())
    if (change) this.#change(change)
    return change !== null
  }

  /** Inserts files at the caret, or, if the caret is not in the text, on a line after it. */
  insertFiles(files: readonly File[], isAtEnd = !this.surface.hasFocus()): void {
    if (isAtEnd) {
      const text = this.surface.readText()
      const insert = /(?:^|\n)$/.test(text) ? '' : '\n'
      const end = text.length + insert.length
      this.#change({ edit: { from: text.length, to: text.length, insert }, selection: caretAt(end) })
    }
    void this.#insertFiles(files)
  }

  /** Runs `work` now, or once the text that an input method composes is complete. */
  whenNotComposing(work: () => void): void {
    if (this.#isComposing) this.#afterComposing.push(work)
    else work()
  }

  /** Reports what the surface holds to the owner, if that is new, and looks for a link to complete. */
  changed(): void {
    if (this.#isEditing || this.#heldText !== null) return
    const text = this.surface.readText()
    const reported = withoutPlaceholders(text, this.#placeholders)
    if (this.#echoes.add(reported)) this.#owner().onChange(reported)
    if (!this.#isComposing) this.#suggest(text)
  }

  #replaceByForeign(): void {
    const [foreign, held] = [this.#foreignText, this.#heldText]
    this.#foreignText = null
    this.#heldText = null
    if (foreign === null) {
      if (held !== null) this.changed()
      return
    }
    const { surface } = this
    const text = held === null ? foreign : withTyped(held, this.#readPlain(), foreign)
    const { edit, selection } = changeFromOutside(surface.readText(), surface.readSelection(), [...this.#waiting], text)
    this.#close()
    this.#edit(() => surface.edit(edit, selection, 'elsewhere'))
    if (text !== foreign) this.changed()
  }

  #readPlain(): string {
    return withoutPlaceholders(this.surface.readText(), this.#placeholders)
  }

  /** The events of an edit are no news: `changed` is called after it. */
  #edit(work: () => void): void {
    this.#isEditing = true
    try {
      work()
    } finally {
      this.#isEditing = false
    }
  }

  #change({ edit, selection }: Change): void {
    this.#edit(() => this.surface.edit(edit, selection, 'person'))
    this.changed()
  }

  #setComposing(isComposing: boolean): void {
    this.#isComposing = isComposing
    if (isComposing) return
    // After the browser and CodeMirror have put in what was composed.
    setTimeout(() => {
      if (this.#isComposing) return
      this.changed()
      for (const work of this.#afterComposing.splice(0)) work()
    })
  }

  /** Tab within a list belongs to the list. Escape before it moves the focus on: so the keyboard is never trapped. */
  #onKey(event: KeyboardEvent): void {
    // keyCode 229: Safari sends the Enter that ends a composition after it.
    if (event.isComposing || this.#isComposing || event.keyCode === 229) return
    if (this.#onSuggestionKey(event) || this.#onFormatKey(event) || this.#onBlockKey(event)) take(event)
    if (event.key !== 'Shift') this.#isLeaving = event.key === 'Escape' && !event.defaultPrevented
    this.#pastesPlain = event.shiftKey && (event.ctrlKey || event.metaKey) && latinKey(event).toLowerCase() === 'v'
  }

  #onBlockKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey || altKey) return false
    if (key === 'Enter') return !shiftKey && this.apply(endQuote)
    return key === 'Tab' && !this.#isLeaving && this.apply((...at) => indentBlock(...at, shiftKey ? -1 : 1))
  }

  #onSuggestionKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    const shown = this.suggestions.value
    if (!shown || shiftKey || ctrlKey || metaKey || altKey) return false
    const { active, titles } = shown
    if (key === 'ArrowDown') this.suggestions.value = { ...shown, active: (active + 1) % titles.length }
    else if (key === 'ArrowUp') this.suggestions.value = { ...shown, active: (active || titles.length) - 1 }
    else if (key === 'Enter' || key === 'Tab') this.#pick(active)
    else if (key === 'Escape') {
      this.#dismissed = shown.from
      this.#close()
    } else return false
    return true
  }

  #onFormatKey(event: KeyboardEvent): boolean {
    const { shiftKey, ctrlKey, metaKey, altKey } = event
    if (ctrlKey === metaKey || altKey) return false
    const make = FORMATS[`${shiftKey ? 'Shift ' : ''}${latinKey(event).toLowerCase()}`]
    return make !== undefined && this.apply(make)
  }

  #suggest(text: string): void {
    const { from, to } = this.surface.readSelection()
    if (findLinkQuery(text, to)?.from !== this.#dismissed) this.#dismissed = -1
    const found = from === to && this.#dismissed === -1 ? suggest(text, to, this.#owner().completions) : null
    const place = found && this.surface.findPlace(found.from)
    if (!place) {
      this.#close()
      return
    }
    // An editor may tell of a letter once more, after the keys that came behind it.
    const shown = this.suggestions.peek()
    const isSame = shown?.from === found.from && shown.titles.join('\n') === found.titles.join('\n')
    const active = isSame ? shown.active : 0
    this.suggestions.value = { ...found, active, place }
  }

  #close(): void {
    this.suggestions.value = null
  }

  /** Closes the suggestions if the caret has left the link. */
  #closeIfLeft(): void {
    const shown = this.suggestions.value
    if (!shown) return
    const { from, to } = this.surface.readSelection()
    if (from !== to || findLinkQuery(this.surface.readText(), to)?.from !== shown.from) this.#close()
  }

  #pick(index: number): void {
    const shown = this.suggestions.value
    const title = shown?.titles[index]
    if (shown && title !== undefined)
      this.#change(completeLink(this.surface.readText(), shown.from, this.surface.readSelection().to, title))
    this.#close()
  }

  /** The focus stays in the text when an option is clicked. */
  #onMouseDown(event: MouseEvent): void {
    if (findOption(event) !== null) event.preventDefault()
  }

  #onClick(event: MouseEvent): void {
    const option = findOption(event)
    if (option === null) this.#closeIfLeft()
    else this.#pick(option)
  }

  /** Programs that copy cells or text add a picture of it: text is pasted as text. */
  #onPaste(event: ClipboardEvent): void {
    const data = event.clipboardData
    const files = [...(data?.files ?? [])]
    const [plain, html] = [data?.getData('text/plain') ?? '', data?.getData('text/html') ?? '']
    const isPlain = this.#pastesPlain
    this.#pastesPlain = false
    if (files.length > 0 && plain === '') {
      take(event)
      void this.#insertFiles(files)
      return
    }
    const [text, range] = [this.surface.readText(), this.surface.readSelection()]
    if (isPlain || isInFence(text, range.from)) return
    const link = linkWords(text, range, plain)
    if (!link && html === '') return
    take(event)
    if (link) this.#change(link)
    else void this.#insertHtml(html, normalizeLineEnds(plain))
  }

  /** Inserts the plain text, then replaces it by Markdown, so that the first undo gives the plain text. */
  async #insertHtml(html: string, plain: string): Promise<void> {
    const { from } = this.surface.readSelection()
    this.insert(plain)
    const markdown = await import('./paste').then(
      ({ readPasted }) => readPasted(html, plain),
      // Without network the plain text stays.
      () => null,
    )
    this.whenNotComposing(() => {
      const text = this.surface.readText()
      const edit = { from, to: from + plain.length, insert: markdown ?? plain }
      // It also stays if the text before it or itself was changed since.
      if (markdown === null || text.slice(from, edit.to) !== plain) return
      const { from: start, to: end } = this.surface.readSelection()
      this.#change({ edit, selection: { from: placeAfter(text, edit, start), to: placeAfter(text, edit, end) } })
    })
  }

  #onDrop(event: DragEvent): void {
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length === 0) return
    take(event)
    const { surface } = this
    const offset = surface.findOffset(event.clientX, event.clientY)
    surface.focus()
    void this.#insertFiles(files, offset)
  }

  /**
   * Puts a placeholder at the caret until the files are stored, then their Markdown. The owner never gets the
   * placeholder. Nothing is inserted if the person has removed it meanwhile.
   */
  async #insertFiles(files: readonly File[], offset: number | null = null): Promise<void> {
    const { surface } = this
    const names = files.map(({ name }) => name)
    const placeholder = makePlaceholder(surface.readText(), names, this.#placeholders)
    if (offset === null) this.insert('')
    const at = offset ?? surface.readSelection().from
    const end = at + placeholder.length
    this.#placeholders.push(placeholder)
    this.#waiting.add(placeholder)
    this.#edit(() => surface.edit({ from: at, to: at, insert: placeholder }, { from: end, to: end }, 'upload'))
    this.changed()
    this.status.value = uploading(names)
    const markdown = await this.#owner()
      .onPasteFiles(files)
      // The owner knows why, and shows it.
      .catch(() => null)
    this.status.value = uploaded(names, markdown !== null)
    this.whenNotComposing(() => this.#replacePlaceholder(placeholder, markdown ?? ''))
  }

  /** In two edits: the undo key takes back what came, and does not bring back the placeholder. */
  #replacePlaceholder(placeholder: string, markdown: string): void {
    this.#waiting.delete(placeholder)
    const { surface } = this
    const at = surface.readText().indexOf(placeholder)
    if (at === -1) return
    this.#edit(() => {
      const removal = { from: at, to: at + placeholder.length, insert: '' }
      surface.edit(removal, this.#selectionAfter(removal), 'upload')
      if (markdown === '') return
      const insertion = { from: at, to: at, insert: markdown }
      const { from, to } = surface.readSelection()
      const move = (offset: number) => (offset >= at ? offset + markdown.length : offset)
      surface.edit(insertion, { from: move(from), to: move(to) }, 'person')
    })
    this.changed()
  }

  #selectionAfter(removal: { from: number; to: number; insert: string }) {
    const { from, to } = this.surface.readSelection()
    const text = this.surface.readText()
    return { from: placeAfter(text, removal, from), to: placeAfter(text, removal, to) }
  }
}

const FORMATS: Readonly<Record<string, (...args: Parameters<typeof makeLink>) => Change>> = {
  b: (text, range) => toggleMark(text, range, '**'),
  i: (text, range) => toggleMark(text, range, '*'),
  'Shift k': makeLink,
}

/** Neither the browser nor the surface handles the event; its ancestors see that it was. */
function take(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** Without this a file that is dropped is opened in place of the page. */
function acceptFiles(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
}

/** The option of the suggestions that an event is for. */
function findOption(event: Event): number | null {
  const option = event.composedPath().find((one) => one instanceof HTMLElement && one.role === 'option')
  return option instanceof HTMLElement ? Number(option.dataset.index) : null
}
