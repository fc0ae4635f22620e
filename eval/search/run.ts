import { join } from 'node:path'
import { type Figure, table } from '../figures'
import { type Collection, publicCollections } from './collections'
import { type Compared, compare, type Part } from './compare'
import { knownItems } from './known'

/** Whose headings are asked for without `--data`: the documentation that a development dependency brings along. */
const BUN_DOCS = join(import.meta.dir, '../../node_modules/bun-types/docs')
/** Without the pages that are made from a template, one for each rule. */
const BUN_PATTERN = '{guides,runtime,pm,bundler,test,project}/**/*.{md,mdx}'

/** Headings that `--quick` asks for. */
const QUICK_HEADINGS = 200

interface SearchTask {
  /** The folder with the public collections. */
  readonly data: string | null
  readonly part: Part
  /** Only what the project has by itself, and a small part of that, held to the floors. */
  readonly quick: boolean
}

/** Measures search beside FTS5. The table as Markdown, and whether the floors held. */
export async function search({ data, part, quick }: SearchTask): Promise<{ text: string; held: boolean }> {
  const compared: Compared[] = []
  const missing: Figure[] = []
  for (const [name, read] of collectionsOf(data, quick)) {
    const collection = await whereThere(read)
    if (collection) compared.push(...(await compare(collection, part)))
    else missing.push({ what: name, target: '', measured: 'not here', reached: null })
  }
  const below = quick ? compared.filter(({ satchel, floor }) => satchel < floor) : []
  const lines = below.map(({ figures, floor }) => `below the floor of ${floor}: ${figures[0]?.what}\n`)
  const figures = [...compared.flatMap(({ figures }) => figures), answered(compared), ...missing]
  return { text: table(figures) + lines.join(''), held: below.length === 0 }
}

function collectionsOf(data: string | null, quick: boolean): Map<string, () => Promise<Collection>> {
  const bun = 'Documentation of Bun'
  const own = new Map([[bun, () => knownItems(bun, BUN_DOCS, BUN_PATTERN, quick ? QUICK_HEADINGS : undefined)]])
  if (quick) return own
  const folder = data ?? 'no folder'
  const vault = 'Help of Obsidian'
  return new Map([
    ...own,
    [vault, () => knownItems(vault, join(folder, 'vault'), '**/*.md')],
    ...publicCollections(folder),
  ])
}

/** Null where its files are not. */
async function whereThere(read: () => Promise<Collection>): Promise<Collection | null> {
  try {
    return await read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function answered(compared: readonly Compared[]): Figure {
  const unanswered = compared.reduce((sum, one) => sum + one.unanswered, 0)
  const answerable = compared.reduce((sum, one) => sum + one.answerable, 0)
  return {
    what: 'queries with a word that occurs, and no answer',
    target: '0',
    measured: `${unanswered} of ${answerable}`,
    reached: unanswered === 0,
  }
}
