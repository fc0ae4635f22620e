import { expect, test } from 'bun:test'
import type { ApiError } from '../../src/http/api-error'
import { createFindKeys, MAX_LISTED_MATCHES, readWords } from '../../src/search/service'

/** The keys that lists get from the search. */

type Find = Parameters<typeof createFindKeys>[0]['findAll']
type Answer = Awaited<ReturnType<Find>>

const asked: Parameters<Find>[1][] = []
const ask = (answer: object) => {
  const findAll: Find = async (_, options) => {
    asked.push(options)
    return { keys: [], limited: false, ...answer } as unknown as Answer
  }
  return createFindKeys({ findAll })({} as Parameters<Find>[0], 'task', readWords('pay  re*'), '/q')
}
const refusal = (answer: object): Promise<ApiError> =>
  ask(answer).then(
    () => Promise.reject(),
    (error) => error,
  )

test('all words are needed, as they are typed, of one type', async () => {
  expect(await ask({ keys: [7, 3] })).toEqual([7, 3])
  const leaf = { kind: 'text', field: null }
  const parts = [
    { ...leaf, text: 'pay', match: 'whole' },
    { ...leaf, text: 're', match: 'prefix' },
  ]
  const query = { kind: 'and', parts } as const
  expect(asked).toEqual([{ query, types: ['task'], limit: 0, strict: true }] as typeof asked)
})

test('more than a list can name is refused, and what is not indexed yet is waited for', async () => {
  const many = await refusal({ keys: Array.from({ length: MAX_LISTED_MATCHES + 1 }, (_, key) => key) })
  expect([many.status, many.extra.errors]).toMatchObject([400, [{ pointer: '/q', code: 'too_many' }]])
  expect((await refusal({ limited: true })).status).toBe(503)
})
