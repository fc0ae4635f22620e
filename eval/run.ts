/**
 * `bun run eval` measures the embedded engine on the small set in eval/data; with paths, on public files in their own
 * formats: `--squad=FILE [--articles=A,B] --cranfield=FILE --clinc=FILE [--part=test]`. Prints the figures as a table.
 * `bun run eval search [--data=FOLDER] [--only=NAME] [--part=dev] [--quick] [--meaning] [--write]` measures search beside
 * SQLite's.
 * `bun run eval time [--part=dev] [--language=de] [--show]` measures how quick add reads time in words beside chrono-node.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { answers, type Squad } from './answers'
import { table } from './figures'
import { CLINC_INTENTS, type Clinc, intents } from './intents'
import { search } from './search/run'
import { time } from './time'

const OWN = join(import.meta.dir, 'data')

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

/** The queries of Cranfield, as XML with a `title` each or in the form of SMART with `.W` before each. */
function queriesOf(text: string): string[] {
  const found = text.includes('<title>')
    ? text.matchAll(/<title>([^<]*)<\/title>/g)
    : text.matchAll(/^\.W\s*\n((?:(?!\.I).*\n?)*)/gm)
  return Array.from(found, ([, query]) => (query ?? '').replace(/\s+/g, ' ').trim()).filter((query) => query !== '')
}

async function measureChat(): Promise<void> {
  const squad: Squad = await Bun.file(values.squad ?? join(OWN, 'answers.json')).json()
  const foreign: string[] = values.cranfield
    ? queriesOf(await Bun.file(values.cranfield).text())
    : await Bun.file(join(OWN, 'foreign.json')).json()
  const clinc: Clinc = await Bun.file(values.clinc ?? join(OWN, 'intents.json')).json()

  const figures = [
    ...(await answers({ squad, articles: values.articles?.split(',') ?? null, foreign })),
    ...intents(clinc, values.part ?? 'test', values.clinc ? CLINC_INTENTS : null),
  ]
  process.stdout.write(table(figures))
}

async function measureSearch(): Promise<void> {
  const { data = null, only, part, quick, meaning, write } = values
  const { text, below } = await search({ data, only, part: part === 'dev' ? 'dev' : 'held-out', quick, meaning })
  process.stdout.write([text, ...below, ''].join('\n'))
  if (write) await keep(text)
  if (below.length > 0) process.exitCode = 1
}

/** Puts the table of search into the README, in place of the last one. */
async function keep(text: string): Promise<void> {
  const readme = Bun.file(join(import.meta.dir, 'README.md'))
  const between = /(?<=<!-- search -->\n).*(?=<!-- end -->)/s
  await readme.write((await readme.text()).replace(between, () => `\n${text}\n`))
}

async function measureTime(): Promise<void> {
  const { part, language = null, show } = values
  const { text, missed } = await time({ part: part === 'dev' ? 'dev' : 'held-out', language, show })
  process.stdout.write(text)
  if (missed) process.exitCode = 1
}

const measures: Record<string, () => Promise<void>> = { search: measureSearch, time: measureTime }
await (measures[positionals[0] ?? ''] ?? measureChat)()
