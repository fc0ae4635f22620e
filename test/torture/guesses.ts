import { beWithinAnHour, makeKey } from '../support/keys'
import { chance, Place, Report, type Row } from './row'

/** First uses of foreign keys that a network has in a day, as docs/operating.md says. */
const FIRST_USES = 20
/** Guesses at once, each over a connection of its own. */
const CALLERS = 8
/** Guesses after which the neighbours call. */
const TURN = 100
/** Weak keys that their owners use; each has a note. */
const WEAK = ['Password123', '12345678', 'my-own-key', 'correct-horse', 'letmein-2024']
const GUESSER = '203.0.113.9'

/** What a key can be guessed with. */
const ASKS: readonly (readonly [method: string, path: string])[] = [
  ...(['/api/notes', '/api/usage', '/api/nowhere', '/api/tags'] as const).map((path) => ['GET', path] as const),
  ['GET', `/api/tasks/feeds/${'A'.repeat(43)}.ics`],
  ['GET', `/api/notes/attachments/${'A'.repeat(70)}`],
  ['HEAD', '/api/usage'],
  ['OPTIONS', '/api/notes'],
  ['DELETE', '/api/workspace'],
  ['POST', '/api/notes'],
  ['POST', '/api/chat'],
  ['POST', '/api/mcp'],
  ['POST', '/api/openai/v1/chat/completions'],
]

/** Which keys got an answer: those in use, or others. */
type Kinds = Set<'used' | 'unused'>

/** One network guesses the keys of others, over sockets, through a trusted proxy. */
export const guesses: Row = async ({ seed, quick }) => {
  const [count, ceiling] = quick ? [800, 500] : [10_000, 5000]
  await beWithinAnHour(quick ? 20 : 120)
  await using place = new Place()
  const settings = { TRUSTED_PROXIES: '127.0.0.1', NETWORK_CEILING_PER_HOUR: `${ceiling}` }
  const { url } = await place.start({ settings })
  const ask = async (from: string, key: string, method = 'GET', path = '/api/notes', body?: string) => {
    const headers = { 'X-Forwarded-For': from, 'X-API-Key': key, 'Content-Type': 'application/json' }
    return fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  }
  for (const [i, key] of WEAK.entries()) await ask(`198.51.100.${i}`, key, 'POST', '/api/notes', '{"title":"mine"}')

  // In the guesser's network: a key of another make that it has used before, and one of our own.
  const [beside, own] = ['key-of-a-neighbour', makeKey(seed)]
  const firsts: number[] = []
  for (let i = 0; i < FIRST_USES; i++)
    firsts.push((await ask(GUESSER, [beside, WEAK[0] ?? ''][i] ?? `first-use-${i}`)).status)

  /** Which keys got each answer, by what was asked. */
  const shown = new Map<string, Kinds>()
  const times = { used: [] as number[], unused: [] as number[] }
  const [served, neighbours]: [string[], string[]] = [[], []]
  let charged = FIRST_USES
  const random = chance(seed)
  const guess = async (n: number) => {
    const kind = random() < 0.5 ? 'used' : 'unused'
    const weak = WEAK[1 + Math.floor(random() * (WEAK.length - 1))] ?? ''
    const [method, path] = ASKS[Math.floor(random() * ASKS.length)] ?? ['GET', '/api/notes']
    charged++
    const start = performance.now()
    const body = method === 'POST' ? '{' : undefined
    const answer = await ask(GUESSER, kind === 'used' ? weak : `Password${1000 + n}`, method, path, body)
    const view = `${method} ${path} ${viewOf(answer, await answer.text())}`
    times[kind].push(performance.now() - start)
    shown.set(view, (shown.get(view) ?? new Set()).add(kind))
    if (answer.status !== 429) served.push(`${method} ${path}: ${answer.status}`)
  }
  /** Those of the guesser's network are served while its ceiling lasts, and all others always. */
  const callNeighbours = async (turn: number) => {
    const near = [beside, own, makeKey(seed + 1)].map((key) => [GUESSER, key] as const)
    const far = WEAK.map((key, i) => [`198.51.100.${i}`, key] as const)
    const isSpent = charged + near.length > ceiling
    if (!isSpent) charged += near.length
    for (const [from, key] of [...(isSpent ? [] : near), ...far, [`192.0.2.${turn}`, 'another-key'] as const]) {
      const { status } = await ask(from, key)
      if (status !== 200) neighbours.push(`turn ${turn}, ${from} with ${key}: ${status}`)
    }
  }
  for (let turn = 0; turn * TURN < count; turn++) {
    await callNeighbours(turn)
    const caller = async (c: number) => {
      for (let n = turn * TURN + c; n < (turn + 1) * TURN; n += CALLERS) await guess(n)
    }
    await Promise.all(Array.from({ length: CALLERS }, (_, c) => caller(c)))
  }

  const report = new Report(`${count} guesses of one network at ${WEAK.length} weak keys, on ${ASKS.length} paths`)
  report.claim(`${FIRST_USES} first uses come through`, firsts.filter((status) => status !== 200).map(String))
  report.claim('no guess after them', served)
  report.claim('a key in use gets the answers of any other', differences(shown))
  report.claim(
    'they use up the ceiling of the network',
    [...shown.keys()].some((view) => view.includes('rate_limited')),
  )
  report.claim('neighbours are served all along', neighbours)
  // Reported, not judged: the times of a busy machine differ.
  const medians = `median ${median(times.used)} ms for keys in use, ${median(times.unused)} ms for others`
  report.claim(`and the server answers, ${medians}`, (await fetch(`${url}/healthz`)).ok)
  return report
}

/** All that an answer shows, but for times, what the ceiling has left, and the id of the request. */
function viewOf({ status, headers }: Response, text: string): string {
  const lines = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'content-length')
    .map((line) => line.join(': '))
  return [status, ...lines.toSorted(), text]
    .join('\n')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, 'ID')
    .replaceAll(/(?<=;t=|retry-after: )\d+|\d+(?= s\b)/g, 'SECONDS')
    .replaceAll(/(?<="network";r=)\d+/g, 'LEFT')
}

/** Answers that only keys in use got, or only others. */
function differences(shown: ReadonlyMap<string, Kinds>): string[] {
  return [...shown].filter(([, kinds]) => kinds.size < 2).map(([view, kinds]) => `${[...kinds]}: ${view}`)
}

function median(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(2)
}
