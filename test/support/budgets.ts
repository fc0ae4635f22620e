import { join } from 'node:path'
import { SETTINGS } from '../../src/config'

/** The size of the house, as test/architecture.test.ts compares it with its table. */

const ROOT = join(import.meta.dir, '../..')
/** Files with fewer lines of code than this are small. */
const SMALL_FILE_LINES = 40

/**
 * Compares a figure with its ceiling, which only goes down: returns a sentence if the figure is above it, or so far below
 * that the ceiling should be lowered to it.
 * @param slack how far the figure may be below its ceiling
 */
export function ratchet(name: string, figure: number, ceiling: number, slack = 0): string[] {
  if (figure > ceiling) return [`${name}: ${figure}, more than ${ceiling}`]
  if (figure < ceiling - slack) return [`${name}: ${figure}, less than ${ceiling}: lower the ceiling to ${figure}`]
  return []
}

/** The figures of today: by name, as in the table of test/architecture.test.ts. */
export async function measureHouse(): Promise<Record<string, number>> {
  const src = await read('src/**/*.ts')
  const server = await Bun.file(join(ROOT, 'package.json')).json()
  return {
    ...linesByFolder(src),
    'lines of src/': total(src),
    // What one thing takes that is in several folders, or in a part of one.
    'lines of chat without a model': total(within(src, /^src\/chat\/local\//)),
    'lines of time in words': total(within(src, /^src\/lib\/civil\//)),
    'lines of Markdown': total(
      within([...src, ...(await read('app/markdown/**/*.{ts,tsx}'))], /^src\/(?:notes|lib)\/(?:markdown|html)\/|^app/),
    ),
    'lines of app/': total(await read('app/**/*.{ts,tsx,css,html}')),
    'lines of public/': total(await read('public/*.{js,css,html}')),
    'lines of test/': total(await read('test/**/*.{ts,tsx}')),
    'files of src/': src.length,
    [`files of src/ with under ${SMALL_FILE_LINES} lines of code`]: src.filter(
      ({ text }) => linesOfCode(text) < SMALL_FILE_LINES,
    ).length,
    settings: Object.keys(SETTINGS).length,
    'runtime dependencies': Object.keys(server.dependencies).length,
    'entries in the fullest folder of src/': Math.max(...entriesByFolder(src)),
  }
}

interface File {
  readonly path: string
  readonly text: string
}

async function read(pattern: string): Promise<File[]> {
  const paths = [...new Bun.Glob(pattern).scanSync(ROOT)].toSorted()
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })))
}

const within = (files: readonly File[], folder: RegExp): File[] => files.filter(({ path }) => folder.test(path))

function total(files: readonly File[]): number {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
}

/** The lines of each folder of src/; files beside the folders count as `src/*.ts`. */
function linesByFolder(files: readonly File[]): Record<string, number> {
  const groups = Object.groupBy(files, ({ path }) => /^src\/[^/]+\//.exec(path)?.[0] ?? 'src/*.ts')
  return Object.fromEntries(Object.entries(groups).map(([folder, group = []]) => [`lines of ${folder}`, total(group)]))
}

/** Lines that are neither blank nor comment. */
export function linesOfCode(text: string): number {
  const lines = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').split('\n')
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

/** How many files and folders each folder of src/ has. */
function entriesByFolder(files: readonly File[]): number[] {
  const entries = new Map<string, Set<string>>()
  for (const { path } of files)
    for (
      let end = path.lastIndexOf('/'), entry = path;
      end > 0;
      entry = entry.slice(0, end), end = entry.lastIndexOf('/')
    ) {
      const folder = entry.slice(0, end)
      entries.set(folder, (entries.get(folder) ?? new Set()).add(entry))
    }
  return [...entries.values()].map((set) => set.size)
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureHouse(), null, 2)}\n`)
