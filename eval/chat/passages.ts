/** Passages and questions in the format of SQuAD, divided into a part to tune on and one that is held out. */
import type { NoteText } from '../satchel'
import type { Part } from '../search/compare'

/** The members of SQuAD's format (1.1 and 2.0) that are read. */
export interface Squad {
  readonly data: readonly {
    readonly title: string
    readonly paragraphs: readonly { readonly context: string; readonly qas: readonly SquadQuestion[] }[]
  }[]
}

interface SquadQuestion {
  readonly question: string
  readonly answers: readonly { readonly text: string }[]
  readonly is_impossible?: boolean
}

export interface AskedQuestion {
  readonly question: string
  /** The index of the passage that answers it. */
  readonly note: number
  /** The texts of which the quotation has to hold one. */
  readonly answers: readonly string[]
}

/** A workspace of passages, the questions that they answer, and those that they do not. */
export interface Passages {
  readonly notes: readonly NoteText[]
  readonly own: readonly AskedQuestion[]
  readonly foreign: readonly string[]
}

/** Articles on which weights were chosen before there were parts: they are tuned on, whatever their hash. */
const TUNED_ON = new Set(['Normans', 'Computational_complexity_theory', 'Southern_California'])

/** Hashes a title (FNV-1a, 32 bits): its parity tells the part, another bit the side. */
function hashTitle(title: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(title)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

const partOf = (title: string): Part =>
  TUNED_ON.has(title) || ((hashTitle(title) >>> 8) & 1) === 0 ? 'dev' : 'held-out'
const sideOf = (title: string): number => (hashTitle(title) >>> 16) & 1

/**
 * Divides the articles of a part into two workspaces; the questions of either are foreign to the other: of the same
 * kind, and about something else.
 */
export function readSides({ data }: Squad, part: Part): Passages[] {
  const articles = data.filter(({ title }) => partOf(title) === part)
  const sides = [0, 1].map((side) => readPassages({ data: articles.filter(({ title }) => sideOf(title) === side) }))
  return sides.map((side, i) => ({ ...side, foreign: sides[1 - i]?.own.map(({ question }) => question) ?? [] }))
}

/** Reads all articles as one workspace; of the questions, those of the part: even numbers are tuned on. */
export function readAll(squad: Squad, part: Part | null): Passages {
  const { notes, own } = readPassages(squad)
  return { notes, own: own.filter((_, i) => part === null || ((i + 1) % 2 === 0) === (part === 'dev')), foreign: [] }
}

/** Lists all questions, also those without an answer. */
export const listQuestions = ({ data }: Squad): string[] =>
  data.flatMap(({ paragraphs }) => paragraphs.flatMap(({ qas }) => qas.map(({ question }) => question)))

function readPassages({ data }: Squad): Pick<Passages, 'notes' | 'own'> {
  const passages = data.flatMap(({ title, paragraphs }) =>
    paragraphs.map(({ context, qas }, i) => ({ title: `${title.replaceAll('_', ' ')} ${i + 1}`, body: context, qas })),
  )
  const own = passages.flatMap(({ qas }, note) =>
    qas
      .filter(({ is_impossible }) => !is_impossible)
      .map(({ question, answers }) => ({ question, note, answers: answers.map(({ text }) => text) })),
  )
  return { notes: passages.map(({ title, body }) => ({ title, body })), own }
}
