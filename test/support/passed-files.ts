/**
 * Prints, as JSON, how many files of src/ each kind of request passes from the socket to SQL and back: those of which
 * a function runs. It counts the second request of a kind, since the first one also prepares what later ones reuse.
 * Runs in a process of its own: `bun test/support/passed-files.ts`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parse } from 'acorn'
import { full } from 'acorn-walk'

const SRC = join(import.meta.dir, '../../src/')
/** Turns of the event loop in which no further file runs, after which a request has ended. */
const QUIET_TURNS = 200
const passed = new Set<string>()
Object.assign(globalThis, { recordCallIn: (file: string) => passed.add(file) })

interface Span {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Puts a call at the start of each function of a module, which records the file. */
function recordCalls(code: string, file: string): string {
  const call = `recordCallIn(${JSON.stringify(file)})`
  const added: [at: number, text: string][] = []
  full(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    if (!/Function/.test(node.type)) return
    const { body } = node as typeof node & { body: Span }
    if (body.type === 'BlockStatement') added.push([body.start + 1, `${call};`])
    else added.push([body.start, `(${call},`], [body.end, ')'])
  })
  let recorded = code
  for (const [at, text] of added.toSorted(([a], [b]) => b - a))
    recorded = recorded.slice(0, at) + text + recorded.slice(at)
  return recorded
}

const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' })
Bun.plugin({
  name: 'record calls',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: recordCalls(transpiler.transformSync(readFileSync(path, 'utf8')), path.slice(SRC.length)),
      loader: 'js',
    }))
  },
})

const { makeKey, makeWorld } = await import('./world')
const world = await makeWorld()
const url = world.listen()
const key = makeKey(1)

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

const note = await send('POST', 'api/notes', { title: 'House', body: 'The boiler warranty ends on 3 May 2027.' })
const deck = await send('POST', 'api/flashcards/decks', { name: 'Words' })
for (const front of ['la casa', 'el perro'])
  await send('POST', 'api/flashcards/facts', { deck_id: deck.id, type: 'basic', front, back: 'a word' })
const { items: cards } = await send('GET', 'api/flashcards/cards')
const question = { messages: [{ role: 'user', content: 'When does the boiler warranty end?' }] }
const requests: Record<string, (turn: number) => Promise<unknown>> = {
  'GET notes': () => send('GET', 'api/notes'),
  'GET a note': () => send('GET', `api/notes/${note.id}`),
  'POST note': (turn) => send('POST', 'api/notes', { title: `Note ${turn}`, body: 'A text.' }),
  'quick add': (turn) =>
    send('POST', 'api/tasks/quick', { text: `Water plant ${turn} tomorrow`, time_zone: 'Europe/Berlin' }),
  review: (turn) => send('POST', `api/flashcards/cards/${cards[turn].id}/reviews`, { rating: 3 }),
  'chat question': () => send('POST', 'api/chat', question),
}

/** Waits until what a request left for later turns of the event loop, such as the commit of its count, is done. */
async function settle(): Promise<void> {
  for (let quiet = 0, size = passed.size; quiet < QUIET_TURNS; quiet++) {
    await setImmediate()
    if (passed.size !== size) [quiet, size] = [0, passed.size]
  }
}

const counts: Record<string, number> = {}
for (const [name, request] of Object.entries(requests)) {
  await request(0)
  await settle()
  passed.clear()
  await request(1)
  await settle()
  counts[name] = passed.size
  if (process.argv.includes('--list')) process.stderr.write(`${name}\n${[...passed].map((f) => `  ${f}\n`).join('')}`)
}
await world.close()
process.stdout.write(JSON.stringify(counts))
process.exit(0)
