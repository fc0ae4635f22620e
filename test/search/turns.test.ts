import { expect, test } from 'bun:test'
import type { WorkspaceId } from '../../src/db/database'
import type { ApiError } from '../../src/http/api-error'
import { createTurns } from '../../src/search/engine'

const OWN = 'a'.repeat(32) as WorkspaceId
const OTHER = 'b'.repeat(32) as WorkspaceId

/** A search that runs until it is told to end. */
function makeSearch() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const search = {
    began: false,
    end: resolve,
    run() {
      search.began = true
      return promise
    },
  }
  return search
}

test('two searches of a workspace run at a time, the next when one ends, and others are not held up', async () => {
  const inTurn = createTurns()
  const searches = Array.from({ length: 4 }, makeSearch)
  const done = searches.map(({ run }) => inTurn(OWN, run))
  const other = makeSearch()
  const otherDone = inTurn(OTHER, other.run)
  expect([...searches, other].map(({ began }) => began)).toEqual([true, true, false, false, true])
  searches[1]?.end()
  await done[1]
  await Bun.sleep(0)
  expect(searches.map(({ began }) => began)).toEqual([true, true, true, false])
  for (const { end } of [...searches, other]) end()
  await Promise.all([...done, otherDone])
  expect(searches.map(({ began }) => began)).toEqual([true, true, true, true])
})

test('one that waits too long is refused before it begins, and leaves its place to others', async () => {
  const inTurn = createTurns(20)
  const [first, second, third] = [makeSearch(), makeSearch(), makeSearch()]
  const running = [first, second].map(({ run }) => inTurn(OWN, run))
  const refused: ApiError = await inTurn(OWN, third.run).then(
    () => Promise.reject(),
    (error) => error,
  )
  expect([refused.status, refused.headers['Retry-After'], third.began]).toEqual([503, '5', false])
  first.end()
  second.end()
  await Promise.all(running)
  expect(await inTurn(OWN, async () => 'found')).toBe('found')
})

test('a search that fails ends its turn', async () => {
  const inTurn = createTurns(20)
  for (let at = 0; at < 3; at++)
    await expect(inTurn(OWN, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await inTurn(OWN, async () => 'found')).toBe('found')
})
