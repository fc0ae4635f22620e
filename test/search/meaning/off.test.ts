import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeFolder } from '../../support/folder'
import { startModel } from './model'

/** What is off costs nothing: the modules of a server in a process of its own. */

async function loadedBy(settings: Record<string, string>): Promise<string[]> {
  const told = Promise.withResolvers<string[]>()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'off-child.ts')], {
    env: { ...process.env, PORT: '0', DATA_DIR: makeFolder(), SEMANTIC_BASE_URL: '', ...settings },
    stdout: 'pipe',
    ipc: told.resolve,
  })
  try {
    const base = await urlOf(child.stdout)
    for (const path of ['api/search?q=boiler', 'api/notes/search?q=boiler']) await fetch(base + path)
    const asked = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"input":"boiler"}' }
    const { status } = await fetch(`${base}api/openai/embeddings`, asked)
    expect(status).toBe(settings.SEMANTIC_BASE_URL ? 200 : 501)
    child.send('what is loaded?')
    return await told.promise
  } finally {
    child.kill()
    await child.exited
  }
}

async function urlOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk)
    const [, url] = /"url":"([^"]+)"/.exec(text) ?? []
    if (url) return url
  }
  throw new Error(`the server ended: ${text}`)
}

const inside = (...names: string[]) => names.map((name) => `src/search/meaning/${name}.ts`)

test('with meaning off nothing of it is loaded but what erases a workspace', async () => {
  expect(await loadedBy({})).toEqual(inside('vector-store'))
})

test('with meaning on all of it is', async () => {
  const model = startModel()
  expect(await loadedBy({ SEMANTIC_BASE_URL: model.url, SEMANTIC_MODEL: 'words' })).toEqual(
    inside('embedding', 'meaning', 'nearest', 'passages', 'remote', 'vector-store'),
  )
  await model.stop()
})
