import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { free, HOUR, subject } from './counter-cases'
import { makeFolder, makeLog, makeMeter, removeFolder } from './world'

/** A start on a meter.db of which something is damaged: it is set aside, and a new one is made. */

const PAGE = 4096

let whole = new Uint8Array()
let folder = ''
beforeAll(() => {
  const made = makeFolder()
  const meter = makeMeter(made)
  for (let i = 0; i < 600; i++) {
    meter.take([free(i)], HOUR + (i % 50))
    meter.markKeyUsed(subject(i), HOUR)
  }
  meter.close()
  whole = readFileSync(join(made, 'meter.db'))
  removeFolder(made)
})
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => removeFolder(folder))

/** Starts on these bytes, counts, ends; what was set aside, and what the log says. */
function startOn(bytes: Uint8Array) {
  const path = join(folder, 'meter.db')
  writeFileSync(path, bytes)
  const log = makeLog()
  const meter = makeMeter(folder, { log })
  expect(meter.take([free(9999)], HOUR + 49).left).toEqual([19])
  meter.close()
  const aside = readdirSync(folder).filter((name) => /^meter\.db\.damaged-[\dTZ.]+$/.test(name))
  return { path, log: log.lines, aside }
}

function changed(change: (bytes: Uint8Array) => void): Uint8Array {
  const bytes = Uint8Array.from(whole)
  change(bytes)
  return bytes
}

test('every page, overwritten with zeros, ones, text or noise', () => {
  const pages = whole.length / PAGE
  // A root with branches, leaves of both large tables, the schema.
  expect(pages).toBeGreaterThan(12)
  const fills: ((page: Uint8Array) => void)[] = [
    (page) => page.fill(0),
    (page) => page.fill(255),
    (page) => page.set(Buffer.alloc(PAGE, 'no page ')),
    (page) => page.set(Uint8Array.from(page, (_, i) => i * 73)),
  ]
  for (let at = 0; at < pages; at++) {
    for (const fill of fills) {
      const bytes = changed((all) => fill(all.subarray(at * PAGE, (at + 1) * PAGE)))
      const { path, log, aside } = startOn(bytes)
      expect([at, aside.length]).toEqual([at, 1])
      const [name = ''] = aside
      expect(Buffer.compare(readFileSync(join(folder, name)), bytes)).toBe(0)
      expect(log).toHaveLength(1)
      expect(log[0]).toStartWith('meter.db is damaged')
      expect(log[0]).toContain(`"damaged":"${path}"`)
      expect(log[0]).toContain(`"set_aside":"${join(folder, name)}"`)
      removeFolder(folder)
      folder = makeFolder()
    }
  }
})

test.each([20, 99, 100, PAGE - 1, PAGE, 2 * PAGE, 5 * PAGE + 7])('cut off after %i bytes', (length) => {
  const { aside } = startOn(whole.subarray(0, length))
  expect(aside).toHaveLength(1)
})

test('no database, and one whose schema reads otherwise', () => {
  expect(startOn(Buffer.from('no database '.repeat(1000))).aside).toHaveLength(1)
  const text = Buffer.from(whole).toString('latin1').replace('used INTEGER', 'usee INTEGER')
  expect(startOn(Buffer.from(text, 'latin1')).aside).toHaveLength(2)
})

test.each([
  ['as it was', () => whole],
  ['empty', () => new Uint8Array()],
])('sound, it stays where it is: %s', (_, bytes) => {
  const { aside, log } = startOn(bytes())
  expect([aside, log]).toEqual([[], []])
})

describe('set aside', () => {
  test('what SQLite keeps beside it goes along', () => {
    writeFileSync(join(folder, 'meter.db-wal'), 'a log of that file')
    const [name] = startOn(changed((bytes) => bytes.fill(0, PAGE))).aside
    expect(readdirSync(folder)).toContain(`${name}-wal`)
    expect(readdirSync(folder)).not.toContain('meter.db-wal')
  })

  test('an earlier one is not overwritten', () => {
    for (let i = 0; i < 3; i++) expect(startOn(changed((bytes) => bytes.fill(i, PAGE))).aside).toHaveLength(i + 1)
  })

  test('not while another process uses it', () => {
    const path = join(folder, 'meter.db')
    writeFileSync(path, whole)
    const meter = makeMeter(folder)
    writeFileSync(path, Buffer.alloc(whole.length, 'x'))
    expect(() => makeMeter(folder)).toThrow('only one Satchel can run on a data folder')
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([])
    meter.close()
  })

  test('not a file of another secret, nor one that was cut off to nothing', () => {
    writeFileSync(join(folder, 'meter.db'), whole)
    expect(() => makeMeter(folder, { fingerprint: 'other' })).toThrow('belongs to another secret')
    truncateSync(join(folder, 'meter.db'))
    makeMeter(folder, { fingerprint: 'other' }).close()
    expect(existsSync(join(folder, 'meter.db'))).toBe(true)
    expect(readdirSync(folder)).toEqual(['meter.db'])
  })
})
