/** What one index answers: the part of a search that needs no other database, in this thread or in a Worker. */
import type { Fate, Position } from './cursor'
import type { IndexFile } from './index.sqlite'
import { findKnownWords, type KnownWord, type ReadWords, resolveWords } from './known-words'
import { isCommonWord } from './languages'
import type { Word } from './plan'
import { type DocRow, getNewestDoc } from './read.sqlite'
import { compareScored, inverseFrequency, type Scored, Scorer } from './scoring'
import type { Type } from './source'
import { amongDocs, type Condition, findPiece, Where, withKeys } from './where.sqlite'

/** The query of a search, as far as an index has to know it. */
export interface Question {
  readonly words: readonly Word[]
  /** Terms that raise the rank alone. */
  readonly extras: readonly Word[]
  readonly condition: Condition
  readonly types: readonly Type[]
  /** Requires all words, as they were typed. */
  readonly strict: boolean
}

/** A document that was found, with the number of words of the query that it has. By meaning alone it has a cosine as score. */
export type Found = Pick<Scored, 'doc' | 'type' | 'key' | 'score' | 'words'>

/** Results whose order is kept in the cursor. */
const BEST_RESULTS = 200
/** Queries of so few words have results with all of them first. In longer ones a word may be one too many. */
const STRICT_WORDS = 2
/** Results with all words of a question below which it is ranked by what the best have in common. */
const FEW_RESULTS = 10
/** The share of the weight of all words that the best result of the level `some` has. */
const SOME_WEIGHT_SHARE = 0.6
/** Documents that are scored for these, and for longer queries, of whose words each document has others. */
const [SCORED_OF_FEW, SCORED_OF_MANY] = [100, 400]
/** Documents of one word that are read to find those with the most words, the newest. */
const MAX_READ_DOCS = 3000

/** Answers the questions of one request. */
export class Asking {
  constructor(private readonly index: IndexFile) {}

  /** Ranks the best results. */
  search(question: Question): ReadWords & Pick<Position, 'rest' | 'newest' | 'relaxed' | 'fates'> & { found: Found[] } {
    const { words, required, extras, where, ...read } = this.#read(question, null)
    const newest = getNewestDoc(this.index)
    const isMissing = read.ignored.length > 0
    if (isMissing && (question.strict || words.length === 0))
      return { ...read, newest, found: [], rest: null, relaxed: 'none' }
    const { docs, isWhole } = this.#findCandidates(words, required, extras, where, question.strict)
    const scorer = new Scorer(this.index, words, extras, required)
    const ranked = scorer.score(docs).sort(compareScored)
    const complete = ranked.filter(({ hasAll }) => hasAll)
    // Results of a word that is still being typed have too little in common.
    const isTyping = words.some(({ isBeginning }) => isBeginning)
    if (!isTyping && !question.strict && (isMissing || complete.length < FEW_RESULTS)) scorer.addFeedback(ranked)
    const isStrict = required.length <= STRICT_WORDS
    ranked.sort((a, b) => (isStrict ? Number(b.hasAll) - Number(a.hasAll) : 0) || compareScored(a, b))
    const hasMost = ranked.some(({ share }) => share >= SOME_WEIGHT_SHARE)
    return {
      ...read,
      newest,
      found: ranked.slice(0, BEST_RESULTS).map(toFound),
      rest: isWhole && ranked.length <= BEST_RESULTS ? null : [0, newest + 1],
      relaxed: !isMissing && (words.length === 0 || complete.length > 0) ? 'none' : hasMost ? 'some' : 'any',
    }
  }

  /** Reads a later page: the next of the best results, then others. */
  page(question: Question, after: Position, limit: number): ReadWords & Pick<Position, 'rest'> & { found: Found[] } {
    const { words, required, extras, where, ...read } = this.#read(question, after.fates)
    const docs = after.best.slice(after.at, after.at + limit)
    const wanted = limit - docs.length
    const any = question.strict ? joinAnd(words) : joinOr(words)
    const expressions = words.length > 0 ? { all: joinAnd(required), any } : null
    const others = after.rest && wanted > 0 ? where.rest(expressions, after, wanted + 1) : []
    const shown = others.slice(0, wanted)
    const last = shown.at(-1)
    docs.push(...shown.map(({ doc }) => doc))
    const scored = new Map(new Scorer(this.index, words, extras).score(docs).map((one) => [one.doc, toFound(one)]))
    const rest: Position['rest'] = last ? [last.tier, last.doc] : after.rest
    const isLast = wanted > 0 && others.length <= wanted
    return { ...read, found: docs.flatMap((doc) => scored.get(doc) ?? []), rest: isLast ? null : rest }
  }

  /** Finds all results: those with all words if there are any, else those with most, or some. */
  all(question: Question): ReadWords & { found: readonly DocRow[]; relaxed: Position['relaxed'] } {
    const { words, required, where, ...read } = this.#read(question, null)
    const isMissing = read.ignored.length > 0
    const result = (docs: readonly number[], relaxed: Position['relaxed']) => ({
      ...read,
      found: this.select(amongDocs(docs), question.types),
      relaxed,
    })
    if (words.length === 0)
      return { ...read, found: isMissing ? [] : where.list(), relaxed: isMissing ? 'any' : 'none' }
    const complete = isMissing ? [] : where.match(joinAnd(required))
    if (complete.length > 0 || question.strict) return result(complete, 'none')
    const weights = new Map<number, number>()
    for (const word of words) this.#addWeight(weights, word, where)
    const least = SOME_WEIGHT_SHARE * words.reduce((sum, word) => sum + this.#weightOf(word), 0)
    const most = [...weights].filter(([, weight]) => weight >= least).map(([doc]) => doc)
    return most.length > 0 ? result(most, 'some') : result([...weights.keys()], 'any')
  }

  /** Counts the words of a query that documents of one type have, by their keys. */
  countWords(question: Question, keys: readonly number[]): [key: number, words: number][] {
    const { words } = this.#read(question, null)
    const { types } = question
    const docs = this.select(withKeys(types[0] ?? 'note', JSON.stringify(keys)), types).map(({ doc }) => doc)
    return new Scorer(this.index, words).score(docs).map((one) => [one.key, one.words])
  }

  /** Lists the documents that fulfil a condition, newest first. */
  select(condition: Condition, types: readonly Type[], limit = -1): DocRow[] {
    return new Where(this.index, types, condition).list(limit)
  }

  /** Finds the documents of which a word holds a piece. */
  findPiece(piece: string, field: number | null): ReturnType<typeof findPiece> {
    return findPiece(this.index, piece, field)
  }

  #read({ words: asked, extras, types, condition, strict }: Question, given: readonly Fate[] | null) {
    const { words, ...read } = resolveWords(this.index, asked, strict, given)
    return {
      ...read,
      words,
      required: strict ? words : listRequired(words),
      extras: findKnownWords(this.index, extras).filter(({ forms }) => forms.size > 0),
      where: new Where(this.index, types, condition),
    }
  }

  #weightOf({ docs, weight = 1 }: KnownWord): number {
    return weight * inverseFrequency(docs, this.index.state.documents)
  }

  /** Adds the weight of a word to that of each document that has it. */
  #addWeight(weights: Map<number, number>, word: KnownWord, where: Where, limit?: number): void {
    const gain = this.#weightOf(word)
    for (const doc of where.match(word.expression, limit)) weights.set(doc, (weights.get(doc) ?? 0) + gain)
  }

  /** Lists documents to score: the best with all words, then others with some; without words, all that fulfil the condition. */
  #findCandidates(
    words: readonly KnownWord[],
    required: readonly KnownWord[],
    extras: readonly KnownWord[],
    where: Where,
    strict: boolean,
  ): { docs: readonly number[]; isWhole: boolean } {
    const most = required.length <= STRICT_WORDS ? SCORED_OF_FEW : SCORED_OF_MANY
    if (words.length === 0) {
      const first = extras.length > 0 ? where.candidates(joinOr(extras), most) : []
      const others = where.list(most).map(({ doc }) => doc)
      return { docs: [...new Set([...first, ...others])], isWhole: others.length < most }
    }
    const docs = new Set(where.candidates(joinAnd(required), most))
    if (docs.size >= most) return { docs: [...docs], isWhole: false }
    const isWhole = words.length === 1 || strict || this.#addPartial(docs, words, where, most)
    return { docs: [...docs], isWhole }
  }

  /**
   * Adds the documents whose words weigh most. It reads the rarest words until there are enough. Returns whether there
   * are no others.
   */
  #addPartial(docs: Set<number>, words: readonly KnownWord[], where: Where, most: number): boolean {
    const weights = new Map<number, number>()
    const left = listRequired(words).toSorted((a, b) => b.docs - a.docs)
    const enough = 2 * most
    for (let word = left.pop(); word && weights.size < enough; word = left.pop())
      this.#addWeight(weights, word, where, weights.size === 0 ? enough : MAX_READ_DOCS)
    const equals = Map.groupBy(weights.keys(), (doc) => weights.get(doc) as number)
    for (const weight of [...equals.keys()].sort((a, b) => b - a))
      for (const doc of (equals.get(weight) ?? []).sort((a, b) => b - a)) {
        if (docs.size >= most) return false
        docs.add(doc)
      }
    return left.length === 0 && listRequired(words).length === words.length
  }
}

/** A question as it is sent to a Worker. */
export interface Request<Name extends keyof Asking = keyof Asking> {
  readonly name: Name
  readonly args: Parameters<Asking[Name]>
}

export function answer<Name extends keyof Asking>(
  index: IndexFile,
  { name, args }: Request<Name>,
): ReturnType<Asking[Name]> {
  const asking = new Asking(index)
  return (asking[name] as (...args: unknown[]) => ReturnType<Asking[Name]>).apply(asking, args)
}

const toFound = ({ doc, type, key, score, words }: Scored): Found => ({ doc, type, key, score, words })
const joinAnd = (words: readonly KnownWord[]) => `(${words.map(({ expression }) => expression).join(' AND ')})`
const joinOr = (words: readonly KnownWord[]) => `(${words.map(({ expression }) => expression).join(' OR ')})`

/** The words that a result must have to have all: without those that say nothing, unless there are no others. */
function listRequired(words: readonly KnownWord[]): readonly KnownWord[] {
  const distinctive = words.filter(({ text }) => !isCommonWord(text))
  return distinctive.length > 0 ? distinctive : words
}
