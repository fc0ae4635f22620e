import { describe, expect, test } from 'bun:test'
import { DIALECTS, NAMES, saying } from './dialects'
import { act, KEY, outcome, SOURCE } from './support'

describe.each(NAMES)('%s', (dialect) => {
  const settings = { dialect }
  const search = (query: string) => saying(dialect, { calls: [{ name: 'search', args: { query } }] })
  const words = saying(dialect, { text: ['In ', 'May.'] })

  test('an answer is said as it comes, with what the server counted', async () => {
    const { ending, said, seen } = await act({ settings, replies: [words] })
    expect(said).toEqual(['In ', 'May.'])
    expect(ending).toEqual({ reason: 'stop', steps: 1, tokens: { prompt: 10, completion: 5, estimated: false } })
    expect(seen[0]).toMatchObject({ path: DIALECTS[dialect].path, headers: { authorization: `Bearer ${KEY}` } })
  })

  test('a tool runs, its result goes back with the marks of its sources, and the answer follows', async () => {
    const { ending, text, calls, seen } = await act({
      settings,
      replies: [search('warranty'), saying(dialect, { text: ['In May. [1]'] })],
      tool: () => outcome({ result: { items: [{ id: 'x' }] }, sources: [SOURCE] }),
    })
    expect(calls).toEqual([{ tool: 'search', args: { query: 'warranty' } }])
    expect(text).toBe('In May. [1]')
    expect(ending).toMatchObject({ steps: 2, tokens: { prompt: 20, completion: 10 } })
    const [asked, told] = seen[1]?.body.messages.slice(-2) ?? []
    expect(asked).toMatchObject({ role: 'assistant', tool_calls: [{ function: { name: 'search' } }] })
    expect(told?.role).toBe('tool')
    expect(JSON.parse(told?.content ?? '')).toEqual({
      result: { items: [{ id: 'x' }] },
      sources: [{ mark: '[1]', id: SOURCE.id, title: 'House', begins: SOURCE.text }],
    })
  })
})
