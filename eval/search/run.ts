import { join } from 'node:path'
import { type Figure, formatTable } from '../figures'
import { type Collection, listPublicCollections, readJapanese, readOwnLanguages } from './collections'
import { compare, type Part, type SetResult, toMeanFigure } from './compare'
import { readKnownItems } from './known'
import { measureTitles } from './titles'

/** The documentation in a development dependency, without the pages that are made from a template for each rule. */
const BUN = {
  name: 'Documentation of Bun',
  folder: join(import.meta.dir, '../../node_modules/bun-types/docs'),
  files: '{guides,runtime,pm,bundler,test,project}/**/*.{md,mdx}',
  targets: false,
}
const OBSIDIAN = { name: 'Help of Obsidian', files: '**/*.md', headings: 600, targets: true }
const LANGUAGES = 'Notes in five languages'
const JAPANESE = 'Notes in Japanese'
const TITLES = 'Exact titles'

interface SearchTask {
  /** The folder with the public collections. */
  readonly data: string | null
  /** A text that the names of the measured collections contain; '' for all. */
  readonly only: string
  readonly part: Part
  /** Whether to measure only a small part of the collections in the project, and fail below the floors. */
  readonly quick: boolean
  /** Whether to ask a server with search by meaning as well. */
  readonly meaning: boolean
}

/** Compares search with FTS5 and a plain baseline. Returns the table as Markdown, and the figures below their floors. */
export async function runSearch({
  data,
  only,
  part,
  quick,
  meaning,
}: SearchTask): Promise<{ text: string; below: string[] }> {
  const compared: SetResult[] = []
  const figures: Figure[] = []
  for (const [name, read] of listCollections(data, quick)) {
    if (!name.includes(only)) continue
    const collection = await readIfPresent(read)
    if (!collection) {
      figures.push({ what: name, target: '', measured: 'not here', reached: null })
      continue
    }
    const sets = await compare(collection, part, meaning)
    compared.push(...sets)
    figures.push(...sets.flatMap((set) => set.figures), toMeanFigure(name, listByWords(sets)))
  }
  if (TITLES.includes(only)) figures.push(...(await measureTitles(part, quick)))
  const unanswered = countUnanswered(compared)
  const below = compared
    .filter(({ scores, floor }) => scores.satchel < floor)
    .map(({ figures: [figure], floor }) => `${figure?.what}: below the floor of ${floor}`)
  if (!unanswered.reached) below.push(`${unanswered.what}: ${unanswered.measured}`)
  figures.push(toMeanFigure('all', listByWords(compared)), unanswered)
  return { text: formatTable(figures), below: quick ? below : [] }
}

const listByWords = (sets: readonly SetResult[]) => sets.filter(({ meaning }) => !meaning)

function listCollections(data: string | null, quick: boolean): [string, () => Promise<Collection>][] {
  const own: [string, () => Promise<Collection>][] = [
    [BUN.name, () => readKnownItems({ ...BUN, headings: quick ? 200 : 600 })],
    [LANGUAGES, () => readOwnLanguages(LANGUAGES)],
    [JAPANESE, () => readJapanese(JAPANESE)],
  ]
  if (quick) return own
  const folder = data ?? 'no folder'
  const vault = () => readKnownItems({ ...OBSIDIAN, folder: join(folder, 'vault') })
  return [...own, [OBSIDIAN.name, vault], ...listPublicCollections(folder)]
}

/** Reads a collection; null if its files are missing. */
async function readIfPresent(read: () => Promise<Collection>): Promise<Collection | null> {
  try {
    return await read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function countUnanswered(compared: readonly SetResult[]): Figure {
  const unanswered = compared.reduce((sum, one) => sum + one.unanswered, 0)
  const answerable = compared.reduce((sum, one) => sum + one.answerable, 0)
  const what = 'queries with a word that occurs, and no answer'
  return { what, target: '0', measured: `${unanswered} of ${answerable}`, reached: unanswered === 0 }
}
