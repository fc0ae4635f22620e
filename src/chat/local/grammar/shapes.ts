import type { TimeLanguage } from '../../../lib/civil/languages'
import { LIST, type WordClass } from './english'
import { phrasesIn } from './words'

/** Sentences as words, and the shapes that commands have: classes of words, and slots for the caller's own text. */

interface Token {
  /** In lower case. */
  readonly key: string
  readonly start: number
  readonly end: number
  /** Whether it is a text in quotation marks. */
  readonly quoted: boolean
}

const TOKEN =
  /["“„«][^"“”„«»]*["“”»]|(?:[cdjlmnst]|qu)'(?=\p{L})|[^\s.,;:!?¿¡"“”„«»()]+(?:[.,:!?][^\s.,;:!?"“”„«»]+)*|\S/giu

/** Writes letters, digits and marks of full width as usual ones; every place stays. */
export const narrow = (text: string): string => text.replace(/[！-～\u3000]/g, (sign) => sign.normalize('NFKC'))

const listTokens = (text: string): Token[] =>
  Array.from(narrow(text).matchAll(TOKEN), ({ 0: word, index }) => ({
    key: word.toLowerCase(),
    start: index,
    end: index + word.length,
    quoted: word.length > 1 && /^["“„«]/.test(word),
  }))

/** The phrases of a class by their first word, the longest first. */
type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>

const compiled: Record<TimeLanguage, Map<WordClass, Phrases>> = {
  en: new Map(),
  de: new Map(),
  fr: new Map(),
  es: new Map(),
}

function phrasesOf(language: TimeLanguage, name: WordClass): Phrases {
  const known = compiled[language].get(name)
  if (known) return known
  const keys = phrasesIn(language, name)
    .split('|')
    .filter(Boolean)
    .map((phrase) => listTokens(phrase).map(({ key }) => key))
    .sort((a, b) => b.length - a.length)
  const phrases = Map.groupBy(keys, ([first = '']) => first)
  compiled[language].set(name, phrases)
  return phrases
}

const NONE: readonly number[] = []

/** A line as the words of a language. */
export class Sentence {
  readonly #lists = new Map<number, readonly number[]>()
  #narrow: string | null = null
  readonly tokens: readonly Token[]

  /** @param tokens those of the text in another order, or some of them */
  constructor(
    readonly text: string,
    readonly language: TimeLanguage,
    tokens?: readonly Token[],
  ) {
    this.tokens = tokens ?? listTokens(text)
  }

  /** Returns the same words as those of a language. */
  in(language: TimeLanguage): Sentence {
    return new Sentence(this.text, language, this.tokens)
  }

  /** Returns the words from a place on, up to another, as a sentence. */
  part(from: number, to?: number): Sentence {
    return new Sentence(this.text, this.language, this.tokens.slice(from, to))
  }

  /** Returns the sentence without the words between two places. */
  without(from: number, to: number): Sentence {
    return new Sentence(this.text, this.language, [...this.tokens.slice(0, from), ...this.tokens.slice(to)])
  }

  /** Returns where the longest phrase of a class begins that ends at a place; null if there is none. */
  endsWith(name: WordClass, end: number): number | null {
    for (let at = Math.max(0, end - 4); at < end; at++) if (this.endsOf(name, at).includes(end)) return at
    return null
  }

  /** Returns the sentence with its last word first. */
  verbFirst(): Sentence {
    return new Sentence(this.text, this.language, [...this.tokens.slice(-1), ...this.tokens.slice(0, -1)])
  }

  /** Lists where the phrases of a class end that begin at a place, the longest first. */
  endsOf(name: WordClass, at: number): readonly number[] {
    const token = this.tokens[at]
    if (!token || token.quoted) return NONE
    if (name === 'list' && this.language === 'en') return this.#listsAt(at, token)
    const phrases = phrasesOf(this.language, name).get(token.key)
    if (!phrases) return NONE
    return phrases
      .filter((keys) => keys.every((key, i) => this.tokens[at + i]?.key === key))
      .map((keys) => at + keys.length)
  }

  /** Whether a phrase of a class begins at a place. */
  has(name: WordClass, at: number): boolean {
    return this.endsOf(name, at).length > 0
  }

  /** Returns the text between two places as it is written, without marks around it. */
  slice(from: number, to: number): string {
    const [first, last] = [this.tokens[from], this.tokens[to - 1]]
    const text = first && last && from < to ? this.text.slice(first.start, last.end) : ''
    return text.replace(/^[\s,:;-]+|[\s,;]+$/g, '')
  }

  #listsAt(at: number, { start }: Token): readonly number[] {
    const known = this.#lists.get(at)
    if (known) return known
    LIST.lastIndex = start
    this.#narrow ??= narrow(this.text)
    const end = LIST.exec(this.#narrow) ? LIST.lastIndex : -1
    const last = this.tokens.findIndex((token) => token.end === end)
    const ends = last < at ? [] : [last + 1]
    this.#lists.set(at, ends)
    return ends
  }
}

interface Element {
  /** Of which any may stand here; none for a text. */
  readonly classes: readonly WordClass[]
  /** The slot for what stands here. */
  readonly slot: string | null
  readonly quoted: boolean
  readonly optional: boolean
  readonly repeats: boolean
}

/** The order of words and slots of a whole sentence. */
export type Shape = readonly Element[]

/** The texts of the slots of a shape. */
export type Slots = Readonly<Record<string, string>>

const element = (classes: string, rest: Partial<Element> = {}): Element => ({
  ...{ slot: null, quoted: false, optional: false, repeats: false, ...rest },
  classes: classes === '' ? [] : (classes.split('/') as WordClass[]),
})

/** Compiles a shape, in words: `put/append` of any of these classes, `down?` or none, `det*` or several; `=level` is told as a
 * slot. `<text>` is a slot, `<"name">` one in quotation marks; `NOTE` is "my note called", `Note` is "a new note". */
function compileShape(shape: string): Shape {
  return shape.split(' ').flatMap((word): Element[] => {
    const [, open, name = '', mark] = /^([<=]?"?)([\w/]+)"?>?([?*]?)$/.exec(word) ?? []
    const optional = mark === '?' || mark === '*'
    if (open?.startsWith('<')) return [element('', { slot: name, quoted: open === '<"', optional })]
    if (open === '=') return [element(name, { slot: name, optional })]
    if (!/^[A-Z]/.test(name)) return [element(name, { optional, repeats: mark === '*' })]
    const det = element('det', { optional: true, repeats: true })
    const noun = [det, element('often', { slot: 'often', optional: true }), det, element(name.toLowerCase())]
    return /^[A-Z]+$/.test(name) ? [...noun, element('named', { optional: true })] : noun
  })
}

/** Compiles shapes that `|` divides. `@note` is a note by its name: "my note X", and "my X note"; `@item` a note or a task. */
export const compileShapes = (shapes: string): Shape[] =>
  shapes
    .split(/\s+\|\s+/)
    .flatMap(listOrders)
    .map(compileShape)

function listOrders(shape: string): string[] {
  const name = /@(\w+)/.exec(shape)?.[1]
  if (name === undefined) return [shape]
  const orders = name === 'item' ? ['@note', '@task'] : [`${name.toUpperCase()} <${name}>`, `det <${name}> ${name}`]
  return orders.flatMap((order) => listOrders(shape.replace(`@${name}`, order)))
}

/** Whether the first word fits, which is soon told; behind a text at the beginning, whether the next one is there. */
function canBegin(shape: Shape, sentence: Sentence): boolean {
  let anywhere = false
  for (const { classes, optional } of shape) {
    const fits = (at: number) => classes.some((name) => sentence.has(name, at))
    if (classes.length === 0) anywhere = true
    else if (anywhere ? !optional && sentence.tokens.some((_, at) => fits(at)) : fits(0)) return true
    else if (!optional) return false
  }
  return anywhere
}

/** Reads a whole sentence by a shape, with texts as short as can be; null if it has another one. */
export function matchShape(shape: Shape, sentence: Sentence): Slots | null {
  if (!canBegin(shape, sentence)) return null
  // What failed once at a place fails there again, so the work is bounded by the words times the elements, squared.
  const failed = new Set<number>()
  const { length } = sentence.tokens
  const match = (i: number, at: number): Slots | null => {
    const one = shape[i]
    if (!one) return at === length ? {} : null
    const id = at * shape.length + i
    if (failed.has(id)) return null
    const found = one.classes.length === 0 ? matchText(one, i, at) : matchWords(one, i, at)
    const rest = found ?? (one.optional ? match(i + 1, at) : null)
    if (!rest) failed.add(id)
    return rest
  }
  const matchText = ({ slot, quoted }: Element, i: number, at: number): Slots | null => {
    const last = quoted ? (sentence.tokens[at]?.quoted ? at + 1 : at) : length
    for (let end = at + 1; end <= last; end++) {
      const rest = match(i + 1, end)
      if (rest) return { ...rest, [slot ?? '']: sentence.slice(at, end) }
    }
    return null
  }
  const matchWords = ({ classes, slot, repeats }: Element, i: number, at: number): Slots | null => {
    for (const name of classes)
      for (const end of sentence.endsOf(name, at)) {
        const rest = match(repeats ? i : i + 1, end)
        if (rest) return slot === null ? rest : { ...rest, [slot]: sentence.slice(at, end) }
      }
    return null
  }
  return match(0, 0)
}
