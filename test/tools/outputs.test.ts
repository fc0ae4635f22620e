import { afterAll, describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { chatAction, chatUndo } from '../../src/tools/schema'
import type { Tool, ToolOutcome } from '../../src/tools/tool'
import { callsOf, makeThings } from './calls'
import { makeTools, ok } from './support'

/** What agents are told of the tools, and whether it is true. */

const tools = await makeTools()
afterAll(tools.close)

/** Closes all objects of a schema: the list of tools is too short to say so of each. */
function close<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(close) as Schema
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.fromEntries(Reflect.ownKeys(schema).map((key) => [key, close(Reflect.get(schema, key))]))
  return { ...members, ...('properties' in schema && { additionalProperties: false }) } as Schema
}

/** Returns a result with what is added to it for agents. */
const toAgentResult = ({ returnsText }: Tool, { result }: ToolOutcome) => ({
  ...result,
  ...(returnsText && { untrusted: true }),
})

/** Says what is wrong with a value of a schema, each object of which has no other members than those that it names. */
const listFaults = (schema: TSchema, value: unknown): string[] =>
  [...Value.Errors(close(schema), value)].map(({ path, message }) => `${path}: ${message}`)

/** Says what is wrong with a result; null if its tool may give it. */
function findFault(tool: Tool, result: unknown): string | null {
  if (!tool.output) return null
  const schema = close(tool.output) as TSchema
  if (Value.Check(schema, result)) return null
  const [first] = [...Value.Errors(schema, result)]
  return `${tool.name}${first?.path}: ${first?.message}: ${JSON.stringify(result)}`
}

describe('the list of tools', () => {
  test('has closed objects of plain JSON Schema, for results of what programs go through', () => {
    for (const { input, output } of tools.toolbox.every)
      for (const schema of [input, output ?? input])
        expect([schema.type, schema.additionalProperties]).toEqual(['object', false])
    expect(tools.toolbox.every.flatMap(({ name, output }) => (output ? [name] : []))).toEqual([
      'search',
      'get_note',
      'list_tasks',
    ])
  })

  test('marks what returns stored text', () => {
    const marked = tools.toolbox.every.flatMap(({ name, returnsText }) =>
      returnsText ? [`${name}: ${returnsText}`] : [],
    )
    expect(marked.toSorted()).toEqual([
      'agenda: titles',
      'answer_card: texts',
      'get_note: texts',
      'list_changes: titles',
      'list_due_cards: texts',
      'list_tasks: titles',
      'search: texts',
      'suggest_cards: texts',
      'summarize: texts',
    ])
  })
})

describe('a schema of results', () => {
  test('refuses what a tool does not give', () => {
    const find = (name: string) => tools.toolbox.every.find((tool) => tool.name === name) as Tool
    for (const [name, wrong] of [
      ['search', { items: [{ id: 'x' }] }],
      ['search', { items: [], other: 1 }],
      ['get_note', {}],
      ['list_tasks', { items: [], total: '0' }],
    ] as const)
      expect([name, findFault(find(name), wrong) === null]).toEqual([name, false])
    for (const [name, right] of [
      ['search', { items: [], untrusted: true, truncated: true }],
      ['list_tasks', { items: [], total: 0 }],
    ] as const)
      expect(findFault(find(name), right)).toBeNull()
  })

  test('of undos refuses members that no undo sends', () => {
    const undo = (body: object | null) => ({ method: 'PATCH', path: '/api/tasks/1', body, if_match: null, next: [] })
    for (const body of [{ colour: 'red' }, { due: { day: '2026-03-01' } }, { priority: 'high' }])
      expect(listFaults(chatUndo, undo(body))).not.toEqual([])
    for (const body of [null, { due: null, project_id: null }, { rating: 3, reviewed_at: '2026-03-01T08:00:00.000Z' }])
      expect(listFaults(chatUndo, undo(body))).toEqual([])
  })

  test('is true for whatever a tool gives', async () => {
    const me = tools.caller()
    const ids = await makeThings(me)
    const given = new Set<string>()
    await fc.assert(
      fc.asyncProperty(callsOf(tools.executor.catalogue, ids), async ({ name, args }) => {
        const tool = tools.executor.catalogue.find((one) => one.name === name)
        const outcome = await me.call(name, args)
        if (outcome.fault || !tool) return
        given.add(`${name} ${outcome.action?.status ?? 'read'}`)
        expect(findFault(tool, toAgentResult(tool, outcome))).toBeNull()
        if (outcome.action) expect(listFaults(chatAction, { ...outcome.action, n: 1 })).toEqual([])
      }),
      { numRuns: 600 },
    )
    // Most calls that are nearly right are refused, but not all.
    expect(given.size).toBeGreaterThan(11)
  })

  test('is true for the largest results', async () => {
    const me = tools.caller()
    const title = '\u{1f600}'.repeat(250)
    const note = String(ok(await me.call('create_note', { title, body: '\u0001'.repeat(9000) })).result.id)
    const lines = Array.from({ length: 20 }, (_, i) => `Task ${i} ${'𝔘'.repeat(150)} today`).join('\n')
    const added = ok(await me.call('create_task', { text: lines }))
    const outcomes = [
      ['create_task', added],
      ['get_note', await me.call('get_note', { id: note })],
      ['agenda', await me.call('agenda', {})],
      ['list_tasks', await me.call('list_tasks', { limit: 25 })],
      ['list_changes', await me.call('list_changes', { limit: 50 })],
      ['update_note', await me.call('update_note', { id: note, replace: '' })],
      ['update_note', await me.call('update_note', { id: note, edits: [{ op: 'append', content: 'x' }] })],
      ['search', await me.call('search', { query: 'task', limit: 20 })],
    ] as const
    for (const [name, outcome] of outcomes) {
      const tool = tools.toolbox.every.find((one) => one.name === name) as Tool
      expect(findFault(tool, toAgentResult(tool, ok(outcome)))).toBeNull()
    }
    expect(added.result.truncated).toBe(true)
  })
})

test('closing a schema closes what is in it', () => {
  const open = Type.Object({ items: Type.Array(Type.Object({ id: Type.String() })) })
  expect(Value.Check(open, { items: [{ id: 'a', b: 1 }] })).toBe(true)
  expect(Value.Check(close(open), { items: [{ id: 'a', b: 1 }] })).toBe(false)
  expect(Value.Check(close(open), { items: [{ id: 'a' }] })).toBe(true)
})
