/**
 * Reads public collections of texts and questions from a folder, in their own formats. They are not part of the
 * project; eval/README.md says where each belongs in the folder.
 */
import { join } from 'node:path'
import type { Squad } from '../chat/passages'
import type { NoteText } from '../satchel'
import type { Part } from './compare'
import type { MeasureName } from './score'

export interface Question {
  readonly query: string
  /** The indexes of the texts that answer it; never empty. */
  readonly right: ReadonlySet<number>
  /** Its number: even ones are the dev part, on which ranking may be tuned; odd ones are held out. */
  readonly number: number
}

interface Goal {
  readonly measure: MeasureName
  /** The score to reach, whatever FTS5 reaches. */
  readonly least?: number
  /** The margin by which to surpass FTS5. */
  readonly above?: number
}

/** Questions of one kind about the texts of a collection. */
export interface QuestionSet {
  readonly kind: string
  readonly goals: readonly Goal[]
  readonly questions: readonly Question[]
  /** The score below which `--quick` fails. */
  readonly floor?: number
}

export interface Collection {
  readonly name: string
  readonly texts: readonly NoteText[]
  readonly sets: readonly QuestionSet[]
}

/** A collection in the format of SMART. `column` is the index of the text in a line of its judgements. */
interface Smart {
  readonly name: string
  readonly texts: string
  readonly questions: string
  readonly judgements: string
  readonly column: number
  /** Whether judgements name the n-th question, not the one with the number n. */
  readonly ordinal?: boolean
}

const SMART: readonly Smart[] = [
  { name: 'CISI', texts: 'cisi/CISI.ALL', questions: 'cisi/CISI.QRY', judgements: 'cisi/CISI.REL', column: 1 },
  { name: 'Medline', texts: 'med/MED.ALL', questions: 'med/MED.QRY', judgements: 'med/MED.REL', column: 2 },
  {
    name: 'Cranfield',
    texts: 'cran/cran.all.1400',
    questions: 'cran/cran.qry',
    judgements: 'cran/cranqrel',
    column: 1,
    ordinal: true,
  },
  { name: 'CACM', texts: 'cacm/cacm.all', questions: 'cacm/query.text', judgements: 'cacm/qrels.text', column: 1 },
]

const LANGUAGE_GOALS = [{ measure: 'right one first', least: 0.85 }, { measure: 'MRR@10' }] as const
/**
 * The score below which `--quick` fails in a language: that of FTS5 in its worst one, apart from Chinese, where it
 * finds nothing.
 */
const LANGUAGE_FLOOR = 0.75

const LANGUAGES = { de: 'German', es: 'Spanish', ru: 'Russian', ar: 'Arabic', zh: 'Chinese' }

type Reader = () => Promise<Collection>

/** Lists a reader for each public collection, by name. A reader fails with ENOENT if its files are missing. */
export function listPublicCollections(folder: string): Map<string, Reader> {
  const text = (path: string) => Bun.file(join(folder, path)).text()
  const judged = SMART.map((smart) => [smart.name, () => readSmart(smart, text)] as const)
  const languages = Object.entries(LANGUAGES).map(([code, name]) => {
    const title = `XQuAD, ${name}`
    return [title, async () => fromSquad(title, JSON.parse(await text(`xquad/xquad.${code}.json`)))] as const
  })
  const npl = async () => readNpl(await text('npl/doc-text'), await text('npl/query-text'), await text('npl/rlv-ass'))
  return new Map<string, Reader>([...judged, ['NPL', npl], ...languages])
}

const QUESTION_GOALS = [{ measure: 'nDCG@10', above: 0.01 }] as const

/** Reads a collection whose records are a number, then lines up to a slash. The title of a text is its first line. */
function readNpl(documents: string, questions: string, judgements: string): Collection {
  const parse = (source: string) =>
    source
      .split(/^ *\/ *$/m)
      .map((record) => /^\s*(\d+)\s+([\s\S]*)$/.exec(record))
      .flatMap((match) => (match ? [{ number: Number(match[1]), lines: (match[2] ?? '').split('\n') }] : []))
      .map(({ number, lines }) => ({ number, title: joinLines(lines[0] ?? ''), body: joinLines(lines.join(' ')) }))
  const records = parse(documents)
  const places = new Map(records.map(({ number }, place) => [number, place]))
  const right = new Map(
    parse(judgements).map(({ number, body }) => [
      number,
      new Set(body.split(' ').flatMap((id) => places.get(Number(id)) ?? [])),
    ]),
  )
  const asked = parse(questions).flatMap(({ number, body }) => {
    const texts = right.get(number)
    return texts?.size ? [{ query: body.toLowerCase(), right: texts, number }] : []
  })
  return { name: 'NPL', texts: records, sets: [{ kind: 'questions', goals: QUESTION_GOALS, questions: asked }] }
}

async function readSmart(
  { name, texts, questions, judgements, column, ordinal = false }: Smart,
  text: (path: string) => Promise<string>,
): Promise<Collection> {
  const records = parseRecords(await text(texts))
  const places = new Map(records.map(({ number }, place) => [number, place]))
  const right = new Map<number, Set<number>>()
  for (const line of (await text(judgements)).split('\n')) {
    const numbers = line.trim().split(/\s+/).map(Number)
    const place = places.get(numbers[column] ?? 0)
    const question = numbers[0] ?? 0
    if (place !== undefined) right.set(question, (right.get(question) ?? new Set()).add(place))
  }
  const asked = parseRecords(await text(questions)).map(({ number, body }, i) => {
    const named = ordinal ? i + 1 : number
    return { query: joinLines(body), right: right.get(named) ?? new Set<number>(), number: named }
  })
  const judged = asked.filter(({ right }) => right.size > 0)
  const set = { kind: 'questions as people type them', goals: QUESTION_GOALS, questions: judged }
  return { name, texts: records, sets: [set] }
}

/**
 * Parses records: `.I` with a number, then fields, of which `.T` and `.W` are read. The default title is the first
 * line.
 */
function parseRecords(text: string): (NoteText & { number: number })[] {
  return text
    .split(/^\.I(?=\s)/m)
    .slice(1)
    .map((record) => {
      const fields = new Map(record.split(/^\.(?=[A-Z]\s*$)/m).map((field) => [field.charAt(0), field.slice(1).trim()]))
      const body = fields.get('W') ?? ''
      return {
        number: Number.parseInt(record, 10),
        title: joinLines(fields.get('T') ?? body.split('\n')[0] ?? ''),
        body,
      }
    })
    .filter(({ title, body }) => title !== '' || body !== '')
}

const joinLines = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Reads our own sentences in the same languages, all in one workspace. */
export async function readOwnLanguages(name: string): Promise<Collection> {
  const languages: Record<string, Squad> = await Bun.file(join(import.meta.dir, '../data/languages.json')).json()
  const texts: NoteText[] = []
  const sets = Object.entries(languages).map(([language, squad]) => {
    const { passages, questions } = parsePassages(squad, texts.length)
    texts.push(...passages)
    return { kind: language, goals: [{ measure: 'right one first' as const }], questions, floor: LANGUAGE_FLOOR }
  })
  return { name, texts, sets }
}

interface JapaneseData {
  readonly notes: readonly NoteText[]
  /** Questions of each part, each with the title of the note that answers it. */
  readonly questions: Readonly<Record<Part | `${Part}, short`, readonly (readonly [question: string, title: string])[]>>
}

/**
 * Reads our own notes in Japanese, with questions as people ask them: とは, ですか, について教えて … The short ones ask about
 * one character or a word in kana (鍵はどこ), so that the ending is most of the question.
 */
export async function readJapanese(name: string): Promise<Collection> {
  const { notes, questions }: JapaneseData = await Bun.file(join(import.meta.dir, '../data/japanese.json')).json()
  const toQuestions = (asked: JapaneseData['questions'][Part], parity: 0 | 1): Question[] =>
    asked.map(([query, title], i) => ({
      query,
      right: new Set([notes.findIndex((note) => note.title === title)]),
      number: 2 * i + parity,
    }))
  const long = [...toQuestions(questions.dev, 0), ...toQuestions(questions['held-out'], 1)]
  const short = [...toQuestions(questions['dev, short'], 0), ...toQuestions(questions['held-out, short'], 1)]
  const measure = 'MRR@10'
  const sets = [
    { kind: 'all questions', goals: [{ measure, least: 0.8 }], questions: [...long, ...short], floor: 0.7 },
    { kind: 'the short ones', goals: [{ measure }], questions: short, floor: 0.38 },
  ] as const
  return { name, texts: notes, sets }
}

function fromSquad(name: string, squad: Squad): Collection {
  const { passages, questions } = parsePassages(squad, 0)
  return { name, texts: passages, sets: [{ kind: 'questions', goals: LANGUAGE_GOALS, questions }] }
}

/** Parses passages as texts, each with the title of its article. The right text of a question is its passage. */
function parsePassages({ data }: Squad, before: number): { passages: NoteText[]; questions: Question[] } {
  const passages = data.flatMap(({ title, paragraphs }) =>
    paragraphs.map(({ context, qas }) => ({ title: title.replaceAll('_', ' '), body: context, qas })),
  )
  const questions = passages
    .flatMap(({ qas }, place) => qas.map(({ question }) => ({ query: question, right: new Set([before + place]) })))
    .map((question, i) => ({ ...question, number: i + 1 }))
  return { passages, questions }
}
