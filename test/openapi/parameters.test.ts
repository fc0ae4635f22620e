import { afterAll, describe, expect, test } from 'bun:test'
import { asList, asObject, isObject, type JsonObject } from '../../src/openapi/json-schema'
import { operations, resolve } from '../support/openapi'
import { makeWorld } from '../support/world'

/** Each parameter of the document is asked over HTTP: what its type allows is taken, and what it forbids is refused. */

const world = await makeWorld({ settings: { FREE_LIMIT_PER_HOUR: '1000000' } })
const document: JsonObject = (await world.call({}, 'GET', '/openapi.json')).body
afterAll(world.close)

const ID = '01980000-0000-7000-8000-000000000000'

async function create(collection: string, body: object): Promise<string> {
  return (await world.call({}, 'POST', collection, body)).body.id
}

/** What must exist for a parameter to be looked at. */
const project = await create('/api/tasks/projects', { name: 'Home' })
const deck = await create('/api/flashcards/decks', { name: 'Capitals' })
const task = await create('/api/tasks', {
  title: 'Rent',
  due: { date: '2026-03-01' },
  recurrence: { rrule: 'FREQ=DAILY' },
})

/** Parameters that mean nothing without another one. */
const COMPANIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  folder_only: { folder: 'Work' },
  dry_run: { reschedule: 'true' },
}

interface Samples {
  readonly good: readonly unknown[]
  readonly bad: readonly unknown[]
}

/** What to send for a type; null for one that says nothing more than text. */
function samplesOf(name: unknown, schema: JsonObject): Samples | null {
  if (schema.type === 'array') {
    const one = samplesOf(name, asObject(schema.items))
    // What is repeated is a name, of which any is taken.
    return (
      one && {
        good: [...one.good, [one.good[0], ...one.good.slice(2, 3)].join()],
        bad: [...one.bad, `${one.good[0]},`, ''],
      }
    )
  }
  if (Array.isArray(schema.enum)) return { good: schema.enum, bad: ['nothing-of-it'] }
  if ('const' in schema) return { good: [schema.const], bad: ['nothing-of-it'] }
  switch (schema.format ?? schema.type) {
    case 'integer': {
      const { minimum, maximum } = schema as { minimum: number; maximum: number }
      return { good: [minimum, maximum], bad: [minimum - 1, maximum + 1, '0x1', ' 7', '1.5', 'many'] }
    }
    case 'number': {
      const { minimum, maximum } = schema as { minimum: number; maximum: number }
      return { good: [minimum, maximum], bad: [minimum - 0.01, maximum + 0.01, 'many'] }
    }
    case 'boolean':
      return { good: [true, false], bad: ['yes', '1', 'TRUE'] }
    case 'uuid':
      return {
        good: [name === 'project_id' ? project : name === 'deck_id' ? deck : ID],
        bad: ['7', `${ID}0`, 'none-of-it'],
      }
    case 'date':
      return { good: ['2026-03-01'], bad: ['2026-02-30', 'soon', '2026-03-01T08:00:00.000Z'] }
    case 'date-time':
      return { good: ['2026-03-01T08:15:00.000Z', '2026-03-01T08:15:00Z'], bad: ['2026-03-01', 'soon', '0'] }
    default:
      return null
  }
}

/** Without the one that erases what the others need; and `mode` of /api/mcp is refused in the form of JSON-RPC. */
const asked = operations(document).filter(({ path }) => path !== '/api/mcp' && path !== '/api/workspace')

const typed = asked.flatMap(({ path, method, operation }) =>
  asList(operation.parameters)
    .map((one) => resolve(document, one))
    .filter((one) => one.in === 'query' || (one.in === 'path' && isObject(one.schema) && one.schema.type === 'integer'))
    .flatMap((one) => {
      const samples = samplesOf(one.name, asObject(one.schema))
      return samples ? [{ path, method: method.toUpperCase(), operation, one, samples }] : []
    }),
)

/** Calls an operation with a value for one of its parameters, and with what it requires besides. */
async function isRefused({ path, method, operation, one }: (typeof typed)[number], value: unknown): Promise<boolean> {
  const name = String(one.name)
  const query = new URLSearchParams()
  for (const other of asList(operation.parameters).map((each) => resolve(document, each))) {
    const samples = samplesOf(other.name, asObject(other.schema))
    if (other.in === 'query' && other.required && other.name !== name)
      query.set(String(other.name), String(samples?.good[0] ?? 'a'))
  }
  const names = asList(operation.parameters).map((each) => String(resolve(document, each).name))
  for (const [other, text] of Object.entries(COMPANIONS[name] ?? {})) if (names.includes(other)) query.set(other, text)
  // A period must not be too long.
  const isDay = asObject(one.schema).format === 'date'
  if (name === 'to' && names.includes('from')) query.set('from', isDay ? '2026-02-20' : '2026-02-20T08:00:00Z')
  if (name === 'from' && isDay) query.set('to', '2026-03-02')
  if (one.in === 'query') query.set(name, String(value))
  const fill = (_: string, each: string) =>
    each === name
      ? encodeURIComponent(String(value))
      : each === 'n'
        ? '1'
        : each === 'date'
          ? '2026-03-01'
          : path.endsWith('/occurrences')
            ? task
            : ID
  const target = path.replaceAll(/\{(\w+)\}/g, fill)
  const body = method === 'POST' || method === 'PATCH' || method === 'PUT' ? {} : undefined
  const answer = await world.call({}, method, `${target}?${query}`, body)
  return asList(answer.body?.errors).some((fault) => asObject(fault).pointer === `/${name}`)
}

describe('a parameter of the document', () => {
  test('has a type in most operations', () => {
    expect(typed.length).toBeGreaterThan(150)
    expect(
      typed.filter(({ one }) => one.name === 'limit').every(({ one }) => asObject(one.schema).type === 'integer'),
    ).toBe(true)
  })

  test('is a list where it holds several values, with commas between them unless it is repeated', () => {
    const lists = typed.filter(({ one }) => asObject(one.schema).type === 'array')
    expect([...new Set(lists.map(({ one }) => one.name))].sort()).toEqual(
      ['ids', 'parts', 'sort', 'status', 'types'].sort(),
    )
    expect(lists.every(({ one }) => one.style === 'form' && one.explode === false)).toBe(true)
  })

  test('is taken as its type says', async () => {
    const refused: string[] = []
    for (const one of typed)
      for (const value of one.samples.good)
        if (await isRefused(one, value)) refused.push(`${one.method} ${one.path} ${one.one.name}=${value}`)
    expect(refused).toEqual([])
  })

  test('is refused where its type forbids it', async () => {
    const taken: string[] = []
    for (const one of typed)
      for (const value of one.samples.bad)
        if (!(await isRefused(one, value))) taken.push(`${one.method} ${one.path} ${one.one.name}=${value}`)
    expect(taken).toEqual([])
  })
})
