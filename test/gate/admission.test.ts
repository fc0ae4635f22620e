import { afterEach, expect, test } from 'bun:test'
import { describeAdmission } from './admission-cases'
import { ask, closeWorlds, foreign, left, ON_METER, world } from './asking'
import { describeGuesses, shownBy, WEAK } from './guess-cases'
import { KEY, makeFolder, makeMeter, removeFolder, type World } from './world'

afterEach(closeWorlds)

describeAdmission(ON_METER)
describeGuesses(ON_METER)

const OWNER = '198.51.100.1'

test('while requests cannot be counted, a key in use gets the answer of an unused one', async () => {
  const used = world()
  await ask(used, 3, '/api/ok', { key: WEAK, from: OWNER })
  const unused = world()
  const shown = async (w: World, key: string) => await shownBy(await w.call('/api/ok', { key }))
  for (const w of [used, unused]) {
    await ask(w, 3, '/api/ok', { key: KEY })
    await ask(w, 1, '/api/ok', { key: foreign(0) })
    w.meter.close()
  }
  const guessed = await shown(used, WEAK)
  expect(String(guessed)).toStartWith('503,')
  expect([await shown(unused, WEAK), await shown(used, foreign(0))]).toEqual([guessed, guessed])
  expect(left(await used.call('/api/ok', { key: KEY }))).toBe('997')
})

test('a refused guess asks the counter for nothing of the key, so that it takes as long for any other', async () => {
  const folder = makeFolder()
  const meter = makeMeter(folder)
  const asked: string[] = []
  const spied = new Proxy(meter, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...all: unknown[]) => {
        asked.push(`${String(name)} ${JSON.stringify(all)}`)
        return value.apply(target, all)
      }
    },
  })
  const w = world({ deps: { meter: spied }, settings: { newKeysPerDay: 1 } })
  const id = w.identity.key(WEAK)
  await ask(w, 1, '/api/ok', { key: WEAK, from: OWNER })
  expect(asked.filter((call) => call.includes(id))).not.toEqual([])
  await ask(w, 1, '/api/ok', { key: foreign(0) })
  const callsOf = async (key: string, path: string) => {
    asked.length = 0
    expect((await w.call(path, { key })).status).toBe(429)
    return [asked.filter((call) => call.includes(w.identity.key(key))), asked.map((call) => call.split(' ')[0])]
  }
  for (const path of ['/api/ok', '/api/usage']) {
    const [touched, calls] = await callsOf(WEAK, path)
    expect([touched, calls]).toEqual([[], ['lastSeen', 'take', 'take', 'refuse']])
    expect(await callsOf('Password124', path)).toEqual([[], calls ?? []])
  }
  meter.close()
  removeFolder(folder)
})
