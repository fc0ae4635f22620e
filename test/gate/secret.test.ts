import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkFingerprint, loadSecret } from '../../src/gate/keys'
import { makeFolder, makeMeter, removeFolder } from './world'

const fill = (bytes: Uint8Array): Uint8Array => bytes.fill(9)
let folder = ''
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => removeFolder(folder))

describe('the secret', () => {
  test('is made at the first start, for its owner only, and read again', () => {
    const made = loadSecret(undefined, folder, false, fill)
    expect(made.key).toEqual(new Uint8Array(32).fill(9))
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secret'])
    const again = loadSecret(undefined, folder, true, () => new Uint8Array(32))
    expect(again).toEqual(made)
  })

  test('is not made anew beside a database', () => {
    expect(() => loadSecret(undefined, folder, true, fill)).toThrow('is missing')
    expect(readdirSync(folder)).toEqual([])
  })

  test('may be hexadecimal or base64url, and both are the same secret', () => {
    const hex = '07'.repeat(32)
    const base64url = Buffer.from(hex, 'hex').toString('base64url')
    expect(loadSecret(hex, folder, true, fill)).toEqual(loadSecret(base64url, folder, true, fill))
    expect(readdirSync(folder)).toEqual([])
  })

  test.each(['', '07'.repeat(31), '07'.repeat(33), 'zz'.repeat(32), 'short', `${'A'.repeat(42)}+`])(
    'is refused when it is not 32 bytes: %j',
    (text) => {
      expect(() => loadSecret(text, folder, false, fill)).toThrow('must be 32 bytes')
    },
  )

  test('a damaged file is refused without showing it', () => {
    writeFileSync(join(folder, 'secret'), 'half a sec')
    expect(() => loadSecret(undefined, folder, true, fill)).toThrow('must be 32 bytes')
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('half a sec')
  })

  test('a file that others can read is noticed', () => {
    loadSecret(undefined, folder, false, fill)
    chmodSync(join(folder, 'secret'), 0o644)
    expect(loadSecret(undefined, folder, true, fill).readableByOthers).toBe(true)
  })
})

describe('the fingerprint', () => {
  test('tells secrets apart, and lets a database without one pass', () => {
    const a = loadSecret('07'.repeat(32), folder, false, fill).fingerprint
    const b = loadSecret('08'.repeat(32), folder, false, fill).fingerprint
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
