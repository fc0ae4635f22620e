import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRanges } from '../../src/lib/client-address'
import { yieldTurn } from '../../src/lib/steps'
import { KEY, makeWorld, OTHER_KEY } from './world'

test('neither disk nor log nor answer holds a key or an address, in any spelling', async () => {
  const world = makeWorld({ settings: { trustedProxies: parseRanges('10.0.0.0/8'), newKeysPerDay: 2 } })
  const answers: string[] = []
  const foreign = 'my-foreign-key-number-one'
  for (const key of [undefined, KEY, foreign, OTHER_KEY, 'bad key', `${KEY}x`]) {
    for (const from of ['203.0.113.9', '2001:db8:1234:5678::1', '10.0.0.2', '192.168.7.7']) {
      const headers = { 'X-Forwarded-For': '198.51.100.23, junk', 'User-Agent': 'agent' }
      for (const path of ['/api/ok', '/api/usage', '/api/crash', '/api/nowhere']) {
        const answer = await world.call(path, { from, headers, ...(key === undefined ? {} : { key }) })
        answers.push(JSON.stringify(answer.headers.toJSON()) + (await answer.text()))
      }
    }
  }
  // The write-ahead log is read before it is folded into the file.
  await yieldTurn()
  const disk = readdirSync(world.folder).map((name) => readFileSync(join(world.folder, name), 'latin1'))
  expect(disk.length).toBe(2)
  const needles = [KEY, KEY.slice(8), foreign, OTHER_KEY, 'bad key', '203.0.113.9', '2001:db8:1234:5678', '198.51.100']
  const binary = ['cb007109', '20010db812345678', 'c6336417', 'c0a80707']
  for (const text of [...disk, ...world.log.lines, ...answers, JSON.stringify(world.meter.state)]) {
    const hex = Buffer.from(text, 'latin1').toString('hex')
    for (const needle of [...needles, '192.168.7.7', '10.0.0.2']) expect(text.includes(needle)).toBe(false)
    for (const needle of binary) expect(hex.includes(needle) || text.includes(needle)).toBe(false)
  }
  await world.close()
})
