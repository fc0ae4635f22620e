import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSecret as load } from '../../src/cli/data-folder'
import { checkFingerprint } from '../../src/db/open'
import { makeFolder, makeMeter, removeFolder } from '../gate/world'

const fill = (bytes: Uint8Array): Uint8Array => bytes.fill(9)
let folder = ''
const loadSecret = (SATCHEL_SECRET?: string, random = fill) => load({ DATA_DIR: folder, SATCHEL_SECRET }, random)
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => removeFolder(folder))

describe('the secret', () => {
  test('is made at the first start, for its owner only, and read again', () => {
    const made = loadSecret()
    expect(made.key).toEqual(new Uint8Array(32).fill(9))
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secret'])
    const again = loadSecret(undefined, () => new Uint8Array(32))
    expect(again).toEqual(made)
  })

  test('is not made anew beside a database', () => {
    writeFileSync(join(folder, 'satchel.db'), '')
    expect(() => loadSecret()).toThrow('is missing')
    expect(readdirSync(folder)).toEqual(['satchel.db'])
  })

  test('may be hexadecimal or base64url, and both are the same secret', () => {
    const hex = '07'.repeat(32)
    const base64url = Buffer.from(hex, 'hex').toString('base64url')
    expect(loadSecret(hex)).toEqual(loadSecret(base64url))
    expect(readdirSync(folder)).toEqual([])
  })

  test.each(['', '07'.repeat(31), '07'.repeat(33), 'zz'.repeat(32), 'short', `${'A'.repeat(42)}+`])(
    'is refused when it is not 32 bytes: %j',
    (text) => {
      expect(() => loadSecret(text)).toThrow('must be 32 bytes')
    },
  )

  test('a damaged file is refused without showing it', () => {
    writeFileSync(join(folder, 'secret'), 'half a sec')
    expect(() => loadSecret()).toThrow('must be 32 bytes')
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('half a sec')
  })

  test('a file that others can read is noticed', () => {
    loadSecret()
    chmodSync(join(folder, 'secret'), 0o644)
    expect(loadSecret().readableByOthers).toBe(true)
  })
})

describe('the fingerprint', () => {
  test('tells secrets apart, and lets a database without one pass', () => {
    const [a = '', b = ''] = ['07', '08'].map((byte) => loadSecret(byte.repeat(32)).fingerprint)
    expect(a).not.toBe(b)
    checkFingerprint(null, a, 'x.db')
    checkFingerprint(a, a, 'x.db')
    expect(() => checkFingerprint(a, b, 'x.db')).toThrow('x.db belongs to another secret')
  })

  test('meter.db refuses to open under another secret, and opens under its own again', () => {
    makeMeter(folder, { fingerprint: 'a' }).close()
    expect(() => makeMeter(folder, { fingerprint: 'b' })).toThrow('meter.db belongs to another secret')
    makeMeter(folder, { fingerprint: 'a' }).close()
    rmSync(join(folder, 'meter.db'))
    makeMeter(folder, { fingerprint: 'b' }).close()
  })
})
