import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { fileOf, type KitOptions, notes, slowBody } from './kit'
import { kitsOfTest } from './kits'
import { makeTimers } from './timers'

const openKit = kitsOfTest()

async function open(options: Partial<KitOptions> = {}) {
  const kit = await openKit(options)
  return {
    ...kit,
    /** Begins a run that does not end before it is stopped. */
    begin: (workspace: string, network: string, address?: string) =>
      kit.send([{ endless: true }], {
        workspace,
        network,
        ...(address === undefined ? {} : { address }),
        headers: { Prefer: 'respond-async' },
      }),
    stateOf: async (workspace: string): Promise<string> =>
      (await kit.call('GET', '/api/imports', { workspace })).body.items[0].state,
    async stop(workspace: string) {
      const { items } = (await kit.call('GET', '/api/imports', { workspace })).body
      await kit.call('DELETE', `/api/imports/${items[0].id}`, { workspace })
    },
  }
}

const turns = async (count = 50) => {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

describe('files with keys of one network', () => {
  test('arrive one at a time, and keep nobody else from arriving', async () => {
    const { timer, pass } = makeTimers()
    const kit = await open({ timer })
    const sender = slowBody()
    const first = kit.call('POST', '/api/lines', { body: sender.body, workspace: 'k1', network: 'n' })
    sender.send(fileOf(notes(1)))
    await turns()
    let isAnswered = false
    const second = kit.send(notes(1), { workspace: 'k2', network: 'n' }).finally(() => {
      isAnswered = true
    })
    for (const other of [
      { workspace: 'k3', network: 'another' },
      { workspace: 'k4' },
      { workspace: 's1', address: 'n' },
    ]) {
      expect((await kit.send(notes(2), other)).body.totals?.created).toBe(2)
    }
    expect(isAnswered).toBe(false)
    pass(19_999)
    sender.send(fileOf(notes(1, 1)))
    await turns()
    pass(1)
    const { status, body, headers } = await second
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '20'])
    expect(body.detail).toContain('place 1')
    sender.end()
    expect((await first).body.totals.created).toBe(2)
  })

  test('by the hundred: the 22nd is refused at once with its place, and others are served', async () => {
    const kit = await open()
    const senders = Array.from({ length: 200 }, slowBody)
    const answers = senders.map(({ body }, n) =>
      kit.call('POST', '/api/lines', { body, workspace: `k${n}`, network: 'n' }),
    )
    for (const { status, body, headers } of await Promise.all(answers.slice(21))) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '20'])
      expect(body.detail).toContain('place 21')
    }
    for (const other of [{ network: 'another' }, {}])
      expect((await kit.send(notes(2), { workspace: 'k900', ...other })).status).toBe(200)
    for (const [n, { send, end }] of senders.entries()) {
      if (n > 20) break
      send(fileOf(notes(1)))
      end()
    }
    for (const { body } of await Promise.all(answers.slice(0, 21))) expect(body.totals.created).toBe(1)
  })
})

describe('imports with keys of one network', () => {
  test('run one at a time: a second network is served, whatever waits', async () => {
    const kit = await open()
    for (const key of ['k1', 'k2', 'k3']) expect((await kit.begin(key, 'n')).status).toBe(202)
    expect((await kit.send(notes(2), { workspace: 'k4', network: 'another' })).body.totals.created).toBe(2)
    expect((await kit.send(notes(2), { workspace: 'k5' })).body.totals.created).toBe(2)
    expect((await kit.send(notes(2), { workspace: 's1', address: 'another' })).body.totals.created).toBe(2)
    const states = async () => [await kit.stateOf('k1'), await kit.stateOf('k2'), await kit.stateOf('k3')]
    expect(await states()).toEqual(['reading', 'waiting', 'waiting'])
    await kit.stop('k1')
    while ((await kit.stateOf('k2')) === 'waiting') await setImmediate()
    expect(await states()).toEqual(['cancelled', 'reading', 'waiting'])
  })

  test('and those without a key from it do, too', async () => {
    const kit = await open()
    await kit.begin('k1', 'n')
    await kit.begin('s1', 'n', 'n')
    expect((await kit.send(notes(2), { workspace: 'k2', network: 'another' })).body.totals.created).toBe(2)
    expect(await kit.stateOf('s1')).toBe('waiting')
    await kit.stop('k1')
    while ((await kit.stateOf('s1')) === 'waiting') await setImmediate()
    expect(await kit.stateOf('s1')).toBe('reading')
  })

  test('wait by twenty at most, also where nobody waits for the answer', async () => {
    const kit = await open()
    const statuses: number[] = []
    for (let n = 0; n < 25; n++) statuses.push((await kit.begin(`k${n}`, 'n')).status)
    expect(statuses).toEqual([...Array(21).fill(202), ...Array(4).fill(503)])
    const refused = await kit.begin('k30', 'n')
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['unavailable', '20'])
    expect(refused.body.detail).toContain('place 21')
    expect(await kit.db.all('SELECT 1 FROM import_runs')).toHaveLength(21)
    expect((await kit.send(notes(2), { workspace: 'k40', network: 'another' })).status).toBe(200)
    await kit.stop('k7')
    expect((await kit.begin('k41', 'n')).status).toBe(202)
  })
})
