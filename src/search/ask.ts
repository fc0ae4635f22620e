/** What one index answers: the part of a search that needs no other database, in this thread or in a Worker. */
import type { Position, Relaxed } from './cursor'
import type { IndexFile } from './index.sqlite'
import { findKnownWords, type KnownWord, type ResolvedWords, resolveWords, type WordOptions } from './known-words'
import { isCommonWord } from './languages'
import type { Word } from './plan'
import type { DocRow } from './read.sqlite'
import { getNewestDoc, listDocsOfKeys, readDocs } from './read.sqlite'
import { compareScored, inverseFrequency, type Scored, Scorer } from './scoring'
import type { Vocabulary } from './vocabulary'
import { type Condition, inTitles, Where } from './where.sqlite'

/** The query of a search, as far as an index has to know it. */
export interface Question extends Omit<WordOptions, 'fates'> {
  readonly words: readonly Word[]
  /** Terms that raise the rank alone, with their weight. */
  readonly extras: ReadonlyMap<string, number>
  readonly condition: Condition | null
  readonly types: readonly number[]
}

/** A document that was found. `words`: the number of words of the query that it has. */
export type Hit = Pick<Scored, 'doc' | 'type' | 'key' | 'score' | 'words'>

/** The best results, and where the others begin. */
export interface Best extends Omit<ResolvedWords, 'words'> {
  readonly best: readonly Hit[]
  readonly rest: Position['rest']
  readonly newest: number
  readonly relaxed: Relaxed
  readonly words: readonly Word[]
  readonly limited: boolean
}

/** One page after the first. */
export interface LaterPage extends Pick<Best, 'words' | 'ignored' | 'corrected' | 'limited'> {
  readonly hits: readonly Hit[]
  readonly rest: Position['rest']
}

/** Results whose order is kept in the cursor. */
const BEST_RESULTS = 200
/** Queries of so few words have results with all of them first. In longer ones a word may be one too many. */
const STRICT_WORDS = 2
/** What a result gains that has all words of a longer query. Chosen on the dev part of `bun run eval search`. */
const ALL_WORDS_GAIN = 1.15
/** Results with all words of a question below which it is ranked by what the best have in common. */
const FEW_RESULTS = 10
/** The share of the weight of all words that the best result of the level `some` has. */
const SOME_WEIGHT_SHARE = 0.6
/** Documents that are scored, of few words, and of more, of which each document has others. */
const [SCORED_OF_FEW, SCORED_OF_MANY] = [200, 400]
/** Words of a query up to which they are few. */
const FEW_WORDS = 4
/** Words of a query up to which its documents are chosen by their titles as well. */
const TITLED_WORDS = 3
/** Documents of one word that are read, the newest. */
const MAX_READ_POSTINGS = 3000

/** Answers the questions of one request. */
export class Asking {
  readonly #index: IndexFile
  readonly #vocabulary: () => Vocabulary

  constructor(index: IndexFile, vocabulary: () => Vocabulary) {
    this.#index = index
    this.#vocabulary = vocabulary
  }

  /** Ranks the best results. */
  search({ words: queryWords, extras: queryExtras, ...question }: Question): Best {
    const resolved = resolveWords(this.#index, this.#vocabulary, queryWords, { ...question, fates: null })
    const { words, ignored, corrected, fates } = resolved
    const extras = this.#findExtras(queryExtras)
    const where = new Where(this.#index, this.#vocabulary, question.types, question.condition)
    const newest = getNewestDoc(this.#index)
    const found = { newest, ignored, corrected, fates, words: words.map(toWord) }
    const isMissing = ignored.length > 0
    const isNothing = (question.strict && isMissing) || (queryWords.length > 0 && words.length === 0)
    if (isNothing) return { ...found, best: [], rest: null, relaxed: 'none', limited: where.limited }
    const required = question.strict ? words : listRequired(words)
    const candidates = this.#findCandidates(words, required, extras, where, question.strict)
    const scorer = new Scorer(this.#index, words, extras, required)
    const ranked = scorer.score(candidates.docs).sort(compareScored)
    const complete = ranked.filter(({ hasAll }) => hasAll).length
    if (!question.prefix && !question.strict && (isMissing || complete < FEW_RESULTS)) scorer.addFeedback(ranked)
    for (const one of ranked) if (one.hasAll) one.score *= ALL_WORDS_GAIN
    ranked.sort(compareScored)
    const isStrict = required.length <= STRICT_WORDS
    const sorted = isStrict ? ranked.toSorted((a, b) => Number(b.hasAll) - Number(a.hasAll)) : ranked
    const hasMost = ranked.some(({ share }) => share >= SOME_WEIGHT_SHARE)
    const relaxed = !isMissing && (words.length === 0 || complete > 0) ? 'none' : hasMost ? 'some' : 'any'
    const best = sorted.slice(0, BEST_RESULTS)
    const isWhole = candidates.isWhole && best.length === sorted.length
    return { ...found, best: best.map(toHit), rest: isWhole ? null : [0, newest + 1], relaxed, limited: where.limited }
  }

  /** Reads a later page: the next of the best results, then others. */
  page(question: Question, { best, at, rest, newest, fates }: Position, limit: number): LaterPage {
    const { words, ignored, corrected } = resolveWords(this.#index, this.#vocabulary, question.words, {
      ...question,
      fates,
    })
    const extras = this.#findExtras(question.extras)
    const where = new Where(this.#index, this.#vocabulary, question.types, question.condition)
    const docs = best.slice(at, at + limit)
    const more =
      docs.length < limit && rest
        ? this.#listRest(words, where, { best, rest, newest, strict: question.strict }, limit - docs.length)
        : { docs: [], rest }
    const all = [...docs, ...more.docs]
    const scored = new Map(new Scorer(this.#index, words, extras, words).score(all).map((one) => [one.doc, one]))
    const hits = all.flatMap((doc) => scored.get(doc) ?? []).map(toHit)
    return { hits, rest: more.rest, words: words.map(toWord), ignored, corrected, limited: where.limited }
  }

  /**
   * Finds all results, in no order: those with all words if there are any, else those with most, or some.
   */
  all(question: Question): Pick<Best, 'words' | 'ignored' | 'corrected' | 'relaxed' | 'limited'> & { rows: DocRow[] } {
    const resolved = resolveWords(this.#index, this.#vocabulary, question.words, { ...question, fates: null })
    const { words, ignored, corrected } = resolved
    const where = new Where(this.#index, this.#vocabulary, question.types, question.condition)
    const result = (docs: readonly number[] | null, relaxed: Relaxed) => {
      const rows = docs ? readDocs(this.#index, docs).map(({ doc, type, key }) => ({ doc, type, key })) : where.list()
      return { rows, relaxed, ignored, corrected, words: words.map(toWord), limited: where.limited }
    }
    if (words.length === 0 && ignored.length === 0) return result(null, 'none')
    if (ignored.length === 0) {
      const docs = where.match(joinAnd(question.strict ? words : listRequired(words)))
      if (docs.length > 0 || question.strict) return result(docs, 'none')
    }
    if (question.strict) return result([], 'none')
    const shares = new Map<number, number>()
    const scorer = new Scorer(this.#index, words, [], words)
    for (const [i, { expression }] of words.entries())
      for (const doc of where.match(expression)) shares.set(doc, (shares.get(doc) ?? 0) + scorer.shareOf(i))
    const most = [...shares].filter(([, share]) => share >= SOME_WEIGHT_SHARE).map(([doc]) => doc)
    return most.length > 0 ? result(most, 'some') : result([...shares.keys()], 'any')
  }

  /** Counts the words of a query that documents of one type have, by their keys. */
  countWords(question: Question, keys: readonly number[]): [key: number, words: number][] {
    const { words } = resolveWords(this.#index, this.#vocabulary, question.words, { ...question, fates: null })
    const docs = listDocsOfKeys(this.#index, question.types[0] ?? 0, keys)
    return new Scorer(this.#index, words, [], words).score(docs).map((one) => [one.key, one.words])
  }

  /** Lists the documents that fulfil a condition, newest first. */
  select(condition: Condition | null, types: readonly number[], limit = -1): { rows: DocRow[]; limited: boolean } {
    const where = new Where(this.#index, this.#vocabulary, types, condition)
    return { rows: where.list(limit), limited: where.limited }
  }

  /** Counts the documents with all words and the condition of each question. */
  count(questions: readonly Pick<Question, 'words' | 'condition' | 'types'>[]): number[] {
    return questions.map(({ words: queryWords, condition, types }) => {
      const words = findKnownWords(this.#index, queryWords)
      if (words.some(({ forms }) => forms.size === 0)) return 0
      const where = new Where(this.#index, this.#vocabulary, types, condition)
      return words.length > 0 ? where.match(joinAnd(words)).length : where.list().length
    })
  }

  #findExtras(extras: ReadonlyMap<string, number>): KnownWord[] {
    const words = [...extras].map(([text, weight]) => ({ text, weight, terms: new Map([[text, 1]]) }))
    return findKnownWords(this.#index, words).filter(({ forms }) => forms.size > 0)
  }

  /** Lists documents to score: the best with all words, then others with some; without words, all that fulfil the condition. */
  #findCandidates(
    words: readonly KnownWord[],
    required: readonly KnownWord[],
    extras: readonly KnownWord[],
    where: Where,
    strict: boolean,
  ): { docs: readonly number[]; isWhole: boolean } {
    const most = required.length <= FEW_WORDS ? SCORED_OF_FEW : SCORED_OF_MANY
    if (words.length === 0) {
      const first = extras.length > 0 ? where.best(joinOr(extras), joinOr(extras), most) : []
      const others = where.list(most).map(({ doc }) => doc)
      return { docs: [...new Set([...first, ...others])], isWhole: others.length < most }
    }
    const docs = new Set(where.best(joinAnd(required), joinOr(required), most))
    let isWhole = docs.size < most
    if (isWhole && words.length > 1 && !strict) isWhole = this.#addPartial(docs, words, where, most)
    return { docs: [...docs], isWhole }
  }

  /**
   * Adds the documents whose words weigh most; a word in a title weighs twice. It reads the rarest words until there are
   * enough. Returns whether there are no others.
   */
  #addPartial(docs: Set<number>, words: readonly KnownWord[], where: Where, most: number): boolean {
    const weights = new Map<number, number>()
    const { documents } = this.#index.state
    const add = (word: KnownWord, expression: string) => {
      const gain = inverseFrequency(word.docs, documents) * (word.weight ?? 1)
      for (const doc of where.newest(expression, { limit: MAX_READ_POSTINGS }))
        weights.set(doc, (weights.get(doc) ?? 0) + gain)
    }
    const rarest = listRequired(words).toSorted((a, b) => a.docs - b.docs)
    let read = 0
    for (; read < rarest.length && weights.size < 2 * most; read++) {
      const word = rarest[read] as KnownWord
      add(word, word.expression)
    }
    if (weights.size <= most && read === words.length) {
      for (const doc of weights.keys()) docs.add(doc)
      return true
    }
    if (words.length <= TITLED_WORDS) for (const word of rarest.slice(0, read)) add(word, inTitles(word.expression))
    const equals = Map.groupBy(weights.keys(), (doc) => weights.get(doc) as number)
    for (const weight of [...equals.keys()].sort((a, b) => b - a))
      for (const doc of (equals.get(weight) ?? []).sort((a, b) => b - a)) {
        if (docs.size >= most) return false
        docs.add(doc)
      }
    return false
  }

  /** Lists what comes after the best results, newest first: with all words, then with any. */
  #listRest(
    words: readonly KnownWord[],
    where: Where,
    {
      best,
      rest,
      newest,
      strict,
    }: Pick<Position, 'best' | 'newest'> & { rest: readonly [number, number]; strict: boolean },
    limit: number,
  ): { docs: number[]; rest: Position['rest'] } {
    const [all, any] = [joinAnd(strict ? words : listRequired(words)), joinOr(words)]
    const tiers = words.length === 0 ? [null] : words.length === 1 || strict ? [all] : [all, `(${any}) NOT (${all})`]
    const docs: number[] = []
    let [tier, before] = rest
    for (; tier < tiers.length; [tier, before] = [tier + 1, newest + 1]) {
      const wanted = limit - docs.length + 1
      const found = where.newest(tiers[tier] ?? null, { before, except: best, limit: wanted })
      docs.push(...found.slice(0, wanted - 1))
      if (found.length === wanted) return { docs, rest: [tier, docs.at(-1) ?? before] }
    }
    return { docs, rest: null }
  }
}

/** What can be asked of an index, and how. */
export type Asks = Pick<Asking, 'search' | 'page' | 'all' | 'countWords' | 'select' | 'count'>

/** A question as it is sent to a Worker. */
export interface Request<Name extends keyof Asks = keyof Asks> {
  readonly name: Name
  readonly args: Parameters<Asks[Name]>
}

export function answer<Name extends keyof Asks>(
  index: IndexFile,
  vocabulary: Vocabulary,
  { name, args }: Request<Name>,
): ReturnType<Asks[Name]> {
  const asking = new Asking(index, () => {
    vocabulary.update(index)
    return vocabulary
  })
  return (asking[name] as (...args: unknown[]) => ReturnType<Asks[Name]>).apply(asking, args)
}

const toHit = ({ doc, type, key, score, words }: Scored): Hit => ({ doc, type, key, score, words })
const toWord = ({ text, terms }: KnownWord): Word => ({ text, terms })
const joinAnd = (words: readonly KnownWord[]) => words.map(({ expression }) => expression).join(' AND ')
const joinOr = (words: readonly KnownWord[]) => words.map(({ expression }) => expression).join(' OR ')

/** The words that a result must have to have all: without those that say nothing, unless there are no others. */
function listRequired(words: readonly KnownWord[]): readonly KnownWord[] {
  const distinctive = words.filter(({ text }) => !isCommonWord(text))
  return distinctive.length > 0 ? distinctive : words
}

/** Writes an answer as text; `unpackAnswer` reads it. */
export function packAnswer(value: unknown): string {
  return JSON.stringify(value, (_, one) => (one instanceof Map ? { entries: [...one] } : one))
}

export function unpackAnswer<Value>(text: string): Value {
  return JSON.parse(text, (_, one) => (Array.isArray(one?.entries) ? new Map(one.entries) : one))
}
