/**
 * `bun run eval` measures the embedded engine on the small set in eval/data; with paths, on public files in their own
 * formats: `--squad=FILE [--articles=A,B] --cranfield=FILE --clinc=FILE [--part=test]`. Prints the figures as a table.
 * `bun run eval search [--data=FOLDER] [--only=NAME] [--part=dev] [--quick] [--meaning] [--write]` compares search with
 * that of SQLite.
 * `bun run eval time [--part=dev] [--language=de] [--show]` measures how quick add reads time in words beside chrono-node.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAnswers, type Squad } from './answers'
import { formatTable } from './figures'
import { CLINC_INTENTS, type Clinc, measureIntents } from './intents'
import { runSearch } from './search/run'
import { measureTime as runTime } from './time'

const DATA = join(import.meta.dir, 'data')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    squad: { type: 'string' },
    articles: { type: 'string' },
    cranfield: { type: 'string' },
    clinc: { type: 'string' },
    part: { type: 'string' },
    language: { type: 'string' },
    show: { type: 'boolean', default: false },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    meaning: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

/** Parses the queries of Cranfield: XML with a `title` each, or the format of SMART with `.W` before each. */
function parseQueries(text: string): string[] {
  const found = text.includes('<title>')
    ? text.matchAll(/<title>([^<]*)<\/title>/g)
    : text.matchAll(/^\.W\s*\n((?:(?!\.I).*\n?)*)/gm)
  return Array.from(found, ([, query]) => (query ?? '').replace(/\s+/g, ' ').trim()).filter((query) => query !== '')
}

async function measureChat(): Promise<void> {
  const squad: Squad = await Bun.file(values.squad ?? join(DATA, 'answers.json')).json()
  const foreign: string[] = values.cranfield
    ? parseQueries(await Bun.file(values.cranfield).text())
    : await Bun.file(join(DATA, 'foreign.json')).json()
  const clinc: Clinc = await Bun.file(values.clinc ?? join(DATA, 'intents.json')).json()

  const figures = [
    ...(await measureAnswers({ squad, articles: values.articles?.split(',') ?? null, foreign })),
    ...measureIntents(clinc, values.part ?? 'test', values.clinc ? CLINC_INTENTS : null),
  ]
  process.stdout.write(formatTable(figures))
}

async function measureSearch(): Promise<void> {
  const { data = null, only, part, quick, meaning, write } = values
  const { text, below } = await runSearch({ data, only, part: part === 'dev' ? 'dev' : 'held-out', quick, meaning })
  process.stdout.write([text, ...below, ''].join('\n'))
  if (write) await writeReadme(text)
  if (below.length > 0) process.exitCode = 1
}

/** Replaces the table of search in the README. */
async function writeReadme(text: string): Promise<void> {
  const readme = Bun.file(join(import.meta.dir, 'README.md'))
  const between = /(?<=<!-- search -->\n).*(?=<!-- end -->)/s
  await readme.write((await readme.text()).replace(between, () => `\n${text}\n`))
}

async function measureTime(): Promise<void> {
  const { part, language = null, show } = values
  const { text, missed } = await runTime({ part: part === 'dev' ? 'dev' : 'held-out', language, show })
  process.stdout.write(text)
  if (missed) process.exitCode = 1
}

const measures: Record<string, () => Promise<void>> = { search: measureSearch, time: measureTime }
await (measures[positionals[0] ?? ''] ?? measureChat)()
