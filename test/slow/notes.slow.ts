import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeNotesWorld } from '../notes/support'
import { zipOf } from '../support/zip'

test('a vault of 5,000 notes imported twice makes no doubles', async () => {
  const { call, stranger, listen, close } = await makeNotesWorld()
  const me = stranger()
  const base = listen()
  const vault = zipOf(
    Array.from({ length: 5000 }, (_, i) => ({
      name: `F${i % 70}/Note ${i}.md`,
      data: `---\ntags: [a, b${i % 9}]\n---\n# Note ${i}\n\nsee [[Note ${i - 1}]]\n`,
    })),
  )
  const send = async () => {
    const headers = { 'X-API-Key': me.key ?? '', 'Content-Type': 'application/zip' }
    const response = await fetch(`${base}api/notes/import`, { method: 'POST', headers, body: vault })
    return ((await response.json()) as { totals: object }).totals
  }
  const seq = async () => (await call(me, 'GET', '/api/changes?limit=1')).body.latest_seq
  const none = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  expect(await send()).toEqual({ ...none, created: 5000 })
  const before = await seq()
  expect(await send()).toEqual({ ...none, unchanged: 5000 })
  expect(await seq()).toBe(before)
  expect((await call(me, 'GET', '/api/usage')).body.workspace.resources).toBe(5000)
  await close()
})

test('100,000 random strings are searched for, and each is answered with 200 or 400', async () => {
  const { call, stranger, close } = await makeNotesWorld()
  const me = stranger()
  for (const body of fc.sample(fc.string({ unit: 'grapheme' }), 200))
    await call(me, 'POST', '/api/notes', { title: 'some', body })
  const signs = fc.constantFrom(
    ...'"()-*:#^{}+,;\'\\/ OR AND NOT tag: title: is: created: 2026 7d 会 é'.split(/(?<=[ :])|\b/),
  )
  const text = fc.array(fc.oneof(signs, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  for (const parts of fc.sample(text, 100_000)) {
    const q = parts.join('').toWellFormed()
    const { status } = await call(me, 'GET', `/api/notes/search?q=${encodeURIComponent(q)}`)
    if (status !== 200) expect([q, status]).toEqual([q, 400])
  }
  await close()
})
