import { join } from 'node:path'
import { type Figure, formatTable } from '../figures'
import type { Part } from '../search/compare'
import { measureAnswers, measureAnswerTime } from './answers'
import { type Clinc, measureFalseWrites, measureIntents, OWN_INTENTS } from './intents'
import { measureCommands, measureQuestions, nameQuestions, type Show } from './own'
import { listQuestions, type Passages, readAll, readSides, type Squad } from './passages'
import { readSet } from './set'
import { measureParaphrases, measureSeveral } from './talks'

const OWN_DATA = join(import.meta.dir, '../data')
const LANGUAGES = { en: 'English', de: 'German', es: 'Spanish', ru: 'Russian', ar: 'Arabic' }

interface ToolTask {
  /** The folder with the public files; null without. */
  readonly data: string | null
  /** A text that the names of the measured rows contain; '' for all. */
  readonly only: string
  /** The name of the own set. */
  readonly set: string
  readonly part: Part
  /** Whether to measure only what is in the project, and fail below the floors. */
  readonly quick: boolean
  /** Whether to measure questions in other words with search by meaning as well. */
  readonly meaning: boolean
  /** Lists what was missed. */
  readonly show: boolean
}

/** A part of the measure: its figures, and the least share of the first one in the quick run. */
interface Measure {
  readonly name: string
  readonly floors: readonly number[]
  readonly figures: () => Promise<Figure[]>
}

/** Measures the embedded engine. Returns the table as Markdown, and the figures below their floors. */
export async function runChat(task: ToolTask): Promise<{ text: string; below: string[] }> {
  const missed: string[] = []
  const show: Show = (line) => void (task.show && missed.push(line))
  const measures = [...listOwn(task, show), ...(task.quick ? [] : listPublic(task))]
  const figures: Figure[] = []
  const below: string[] = []
  for (const { name, floors, figures: measure } of measures.filter((one) => one.name.includes(task.only))) {
    const measured = await ifPresent(name, measure)
    figures.push(...measured)
    for (const [i, floor] of floors.entries()) {
      const share = Number.parseFloat(measured[i]?.measured ?? '')
      if (task.quick && !(share >= floor)) below.push(`${measured[i]?.what}: below the floor of ${floor}`)
    }
  }
  return { text: [formatTable(figures), ...missed.map((line) => `\n${line}`)].join(''), below }
}

function listOwn({ set, only, part, quick, meaning }: ToolTask, show: Show): Measure[] {
  const task = { name: set, part, only, quick }
  return [
    {
      name: nameQuestions(set),
      floors: FLOORS.questions,
      figures: async () => measureQuestions(await readSet(set), task, show),
    },
    {
      name: `${set} commands`,
      floors: FLOORS.commands,
      figures: async () => measureCommands(await readSet(set), task, show),
    },
    {
      name: 'notes in five languages',
      floors: [0.95],
      figures: async () => measureAnswers('notes in five languages', [await readLanguages()], OWN_GOALS),
    },
    {
      name: 'questions in other words',
      floors: [FLOORS.paraphrases.words, ...(meaning ? [FLOORS.paraphrases.meaning] : [])],
      figures: async () => [
        await measureParaphrases(part, false, show),
        ...(meaning ? [await measureParaphrases(part, true, show)] : []),
      ],
    },
    { name: 'several actions', floors: [], figures: async () => [await measureSeveral(show)] },
  ]
}

/** The shares below which the quick run fails: slightly less than was reached. */
const FLOORS = { paraphrases: { words: 0.05, meaning: 0.62 }, questions: [0.55], commands: [0.32, 0.17, 0.2, 0.25] }
const OWN_GOALS = { above: 0, inside: 0.74 }

/** Our own sentences in all languages, in one workspace. */
async function readLanguages(): Promise<Passages> {
  const languages: Record<string, Squad> = await Bun.file(join(OWN_DATA, 'languages.json')).json()
  return readAll({ data: Object.values(languages).flatMap(({ data }) => data) }, null)
}

function listPublic({ data, part }: ToolTask): Measure[] {
  const folder = data ?? 'no folder'
  const readSquad = async (): Promise<Squad> => await Bun.file(join(folder, 'squad/dev-v2.0.json')).json()
  const readXquad = async (code: string): Promise<Squad> =>
    await Bun.file(join(folder, `xquad/xquad.${code}.json`)).json()
  const readClinc = async (): Promise<Clinc> => await Bun.file(join(folder, 'clinc/data_full.json')).json()
  return [
    {
      name: 'SQuAD',
      floors: [],
      figures: async () => measureAnswers('SQuAD', readSides(await readSquad(), part), { above: 0.02, inside: 0.74 }),
    },
    {
      name: 'XQuAD, English, apart',
      floors: [],
      figures: async () =>
        measureAnswers('XQuAD, English, apart', readSides(await readXquad('en'), part), { above: 0.02, inside: 0.74 }),
    },
    ...Object.entries(LANGUAGES).map(([code, language]) => ({
      name: `XQuAD, ${language}`,
      floors: [],
      figures: async () =>
        measureAnswers(`XQuAD, ${language}`, [readAll(await readXquad(code), part)], {
          above: code === 'en' ? 0.02 : 0,
          inside: code === 'en' ? 0.74 : null,
        }),
    })),
    {
      name: 'CLINC150',
      floors: [],
      figures: async () => {
        const clinc = await readClinc()
        const parts = part === 'dev' ? ['train', 'oos_train'] : ['val', 'test', 'oos_val', 'oos_test']
        const texts = parts.flatMap((name) => clinc[name] ?? [])
        const questions = [await readSquad(), ...(await Promise.all(Object.keys(LANGUAGES).map(readXquad)))]
        const asked = questions.flatMap(listQuestions).map((text): [string, string] => [text, 'question'])
        return [
          measureIntents('CLINC150', texts),
          measureFalseWrites('CLINC150 and questions', [
            ...texts.filter(([, intent]) => !OWN_INTENTS.includes(intent)),
            ...asked,
          ]),
        ]
      },
    },
    {
      name: 'local answer',
      floors: [],
      figures: async () => [await measureAnswerTime(readAll(await readSquad(), part))],
    },
  ]
}

/** Measures; a row without figures if files are missing. */
async function ifPresent(name: string, measure: () => Promise<Figure[]>): Promise<Figure[]> {
  try {
    return await measure()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return [{ what: name, target: '', measured: 'not here', reached: null }]
  }
}
