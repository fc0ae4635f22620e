/**
 * `bun run eval chat [--set=NAME] [--data=FOLDER] [--only=NAME] [--part=dev] [--quick] [--meaning] [--show]` measures the
 * embedded engine of chat.
 * `bun run eval search [--data=FOLDER] [--only=NAME] [--part=dev] [--quick] [--meaning] [--write]` compares search with
 * that of SQLite.
 * `bun run eval time [--part=dev|second|second-aside] [--language=de] [--show]` measures how quick add reads time in words
 * beside chrono-node.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChat } from './chat/run'
import { runSearch } from './search/run'
import { measureTime as runTime, TIME_PARTS } from './time'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string' },
    language: { type: 'string' },
    show: { type: 'boolean', default: false },
    data: { type: 'string' },
    only: { type: 'string', default: '' },
    set: { type: 'string', default: 'house' },
    quick: { type: 'boolean', default: false },
    meaning: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

const part = values.part === 'dev' ? 'dev' : 'held-out'

async function measureChat(): Promise<void> {
  const { data = null, only, set, quick, meaning, show } = values
  const { text, below } = await runChat({ data, only, set, part, quick, meaning, show })
  process.stdout.write([text, ...below, ''].join('\n'))
  if (below.length > 0) process.exitCode = 1
}

async function measureSearch(): Promise<void> {
  const { data = null, only, quick, meaning, write } = values
  const { text, below } = await runSearch({ data, only, part, quick, meaning })
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
  const { language = null, show } = values
  const named = TIME_PARTS.find((one) => one === values.part) ?? 'held-out'
  const { text, missed } = await runTime({ part: named, language, show })
  process.stdout.write(text)
  if (missed) process.exitCode = 1
}

const measures: Record<string, () => Promise<void>> = { chat: measureChat, search: measureSearch, time: measureTime }
const measure = measures[positionals[0] ?? '']
if (!measure) throw new Error(`name what to measure: ${Object.keys(measures).join(', ')}`)
await measure()
