import { afterAll, expect, test } from 'bun:test'
import { isFallback, LONG, makeHtmlWorld } from './html-world'

const world = await makeHtmlWorld()
const { put, html } = world
afterAll(world.close)

/** Processes that keep every processor busy, each for at most 20 s of its time. */
function makeLoad(processes: number) {
  const children = Array.from({ length: processes }, () =>
    Bun.spawn(['sh', '-c', 'ulimit -t 20; while :; do :; done'], { stdout: 'ignore', stderr: 'ignore' }),
  )
  return async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(({ exited }) => exited))
  }
}

test('a note of 270 KB is rendered however busy the machine is', async () => {
  const me = world.stranger()
  expect(LONG.length).toBeGreaterThan(270_000)
  const id = await put(me, LONG)
  // Starting the worker is no part of it.
  await html(me, (await world.call(me, 'POST', '/api/notes', { body: 'a' })).body.id)
  const end = makeLoad(3 * navigator.hardwareConcurrency)
  try {
    const { body } = await html(me, id)
    expect(isFallback(body)).toBe(false)
    expect(body.split('<li>')).toHaveLength(2901)
  } finally {
    await end()
  }
})
