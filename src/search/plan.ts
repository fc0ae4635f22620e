/** Turns a query into a plan: words that match by stems and only rank, and conditions that must hold exactly. */
import type { Token } from './analyze'
import { readText } from './analyze'
import { hasWords } from './fold'
import { isCommonWord, LATIN, type Latin, stemOf } from './languages'
import { listExactLeaves } from './needle'
import { isBare, listConjuncts, type Query } from './query'

/** A bare word of a query. */
export interface Word {
  /** Folded. */
  readonly text: string
  /**
   * The index terms that match the word, with the weight of an occurrence: 1 for stems, more in all for the exact form.
   */
  readonly terms: ReadonlyMap<string, number>
  /** Whether words that begin with it match as well: set for a single character of a script without spaces. */
  readonly isBeginning?: boolean
  /** Its weight relative to other words: 1, more if the question repeats it, little for common words. */
  readonly weight?: number
}

/** The plan of a query. */
export interface Plan {
  readonly words: readonly Word[]
  /**
   * Optional terms that raise the rank, with their weight relative to a word: names such as `C++`, so that they rank
   * above the letter alone; and words of the condition, so that exact matches are ranked too.
   */
  readonly extras: ReadonlyMap<string, number>
  /** The condition that a result must fulfil; null if the query has only words. */
  readonly condition: Query | null
}

/** The weight of a name, where a word weighs 1. */
const NAME_WEIGHT = 2
/** The weight of the exact form, in addition to that of its stem. */
const EXACT_WEIGHT = 0.25
/** The weight of a word such as `the` or `how`, where others weigh 1. */
const COMMON_WORD_WEIGHT = 0.05
/** Repeats of a word that count, at most. */
const MAX_REPEATS = 3
/** Bare words that are scored; of more, the rarest. */
export const MAX_SCORED_WORDS = 64
/** Bare words that are looked up, from the first on. */
const MAX_QUERY_WORDS = 256
/** Names such as `C++` that are looked up. */
const MAX_NAMES = 16

/** Plans a query. @param languages those that the workspace's words were stemmed in */
export function planQuery(query: Query, languages: ReadonlySet<string>): Plan {
  const parts = listConjuncts(query)
  const bare = parts.filter(isBare)
  const rest = parts.filter((part) => !isBare(part))
  const names = new Set<string>()
  const signs = new Set<string>()
  const read = (texts: readonly string[]) => {
    const tokens: Token[] = []
    for (const text of texts)
      readText(
        text,
        (token) => tokens.push(token),
        (extra) => (extra.startsWith('=') ? names : signs).add(extra),
      )
    return tokens
  }
  const written = bare.map(({ text }) => text)
  const asked = read(written.map(cutAsking))
  const tokens = asked.length > 0 ? asked : read(written)
  const stemmers = LATIN.filter((language) => language === 'en' || languages.has(language))
  const words = readWords(tokens, stemmers)
  const exact = listExactLeaves(query).flatMap(({ text, match }) => (match === 'whole' ? readPhrase(text) : []))
  return {
    // Signs are searched only if there are no words; otherwise they are punctuation.
    words: words.length > 0 ? words : [...signs].map((term) => ({ text: term.slice(1), terms: new Map([[term, 1]]) })),
    extras: new Map([
      ...exact.slice(0, MAX_SCORED_WORDS).map((term) => [term, 1] as const),
      ...[...names].slice(0, MAX_NAMES).map((term) => [term, NAME_WEIGHT] as const),
    ]),
    condition: rest.length === 0 ? null : rest.length === 1 ? (rest[0] ?? null) : { kind: 'and', parts: rest },
  }
}

function readWords(tokens: readonly Token[], stemmers: readonly Latin[]): Word[] {
  const words = new Map<string, Map<string, number>>()
  for (const [i, token] of tokens.entries()) {
    const [before, after] = [tokens[i - 1], tokens[i + 1]]
    // The last character of a run is indexed by itself only for searches of a single character.
    if (isLoneTail(token.word, before)) continue
    if (!words.has(token.word) && words.size === MAX_QUERY_WORDS) break
    const terms = words.get(token.word) ?? new Map<string, number>()
    words.set(token.word, terms)
    addTerms(terms, token, before, after, stemmers)
  }
  const times = (text: string) =>
    Math.min(
      MAX_REPEATS,
      tokens.reduce((sum, { word }) => sum + (word === text ? 1 : 0), 0),
    )
  return [...words].map(([text, terms]) => {
    return {
      text,
      terms,
      isBeginning: isSingle(text),
      weight: (isCommonWord(text) ? COMMON_WORD_WEIGHT : 1) * times(text),
    }
  })
}

function addTerms(
  terms: Map<string, number>,
  { word, written }: Token,
  before: Token | undefined,
  after: Token | undefined,
  stemmers: readonly Latin[],
): void {
  if (!hasWords(word)) {
    terms.set(word, 1)
    return
  }
  for (const language of stemmers) {
    const stem = stemOf(written, language)
    for (const term of [`~${stem}`, stem, `+${stem}`]) terms.set(term, 1)
  }
  const exact = terms.get(word) === 1 ? 1 : EXACT_WEIGHT
  terms.set(word, exact)
  terms.set(`+${word}`, exact)
  // `e mail` is `email`, and so is `e-mail`.
  for (const joined of [joinWords(before?.word, word), joinWords(word, after?.word)])
    if (joined !== null) for (const term of [joined, `+${joined}`]) terms.set(term, 1)
}

/** Joins two words into one; null if either is missing or in a script without spaces. */
function joinWords(first: string | undefined, second: string | undefined): string | null {
  return first !== undefined && second !== undefined && hasWords(first) && hasWords(second) ? first + second : null
}

/** Whether a word is one character of a script without spaces: the index has it together with the next one. */
function isSingle(word: string): boolean {
  return Array.from(word).length === 1 && !hasWords(word)
}

/** Whether a token is the last character of a run without spaces, which the token before it holds. */
function isLoneTail(word: string, before: Token | undefined): boolean {
  return before !== undefined && isSingle(word) && Array.from(before.word).length === 2 && before.word.endsWith(word)
}

/** Reads the consecutive words of a phrase. */
export function readPhrase(text: string): string[] {
  const tokens: Token[] = []
  readText(text, (token) => tokens.push(token))
  // If another word follows, the last character of a run without spaces has its own place in the row.
  const last = tokens.length - 1
  return tokens.filter(({ word }, i) => i < last || !isLoneTail(word, tokens[i - 1])).map(({ word }) => word)
}

/*
 * What Japanese questions ask with is no content: `鍵はどこですか` asks for `鍵`, `光合成とは` for `光合成`.
 */
const KANA = /[\u3041-\u309f]/
/** Question words, after a particle or at the beginning, with the particles around them. */
const QUESTION_WORD =
  /(?:^|には|では|とは|って|[はがをにでともへの、])(?:いつ(?!も)(?:まで|から|ごろ)?|どこ|誰|だれ|何[時日度人分年月回]?|なに|いくら|いくつ|ど[のれ]くらい|どんな|どう(?:やって|したら|すれば|して|なって)?|なぜ)(?:まで|から|[にへがをの]|で(?!す[かが]|した|しょう|き))?/g
/** Endings of speech. */
const ENDING =
  /(?:とは|って|という(?:もの|の)?|について|に関して|のこと|[のん]?(?:です|でした|でしょう|だろう)か?|(?:ます|ました|ません)か?|[のん]?だっけ|を?教えて|ください|下さい|ほしい|[?!。、]|(?<=[うくすつぬむるたい])の)$/
/** Particles that are left when a question word or an ending is cut off. */
const PARTICLE = /(?:には|では|って|[はがをにでと])$/
/** Verbs that say nothing by themselves. */
const EMPTY =
  /^(?:い|い[いる]|し|する|すればいい|して(?:い|いる)?|あり?|ある|でき|できる|なり|なる|なって(?:い|いる)?|こと|も)$/

/** Cuts what a text asks with; what is left may be nothing. */
export function cutAsking(text: string): string {
  if (!KANA.test(text)) return text
  const composed = text.normalize('NFKC')
  const pieces = composed.replace(QUESTION_WORD, ' ').split(' ')
  const cut = pieces.map(cutEnding).filter((piece) => !EMPTY.test(piece))
  const isCut = pieces.length > 1 || cut[0] !== composed
  return (isCut ? cut.map((piece) => piece.replace(PARTICLE, '')) : cut).join(' ')
}

function cutEnding(text: string): string {
  const shorter = text.replace(ENDING, '')
  return shorter === text ? text : cutEnding(shorter)
}
