import { describe, expect, test } from 'bun:test'
import { readDirectory, toZipSource } from '../../../src/lib/zip/read'
import { writeZip } from '../../../src/lib/zip/write'
import { type Entry, zipOf } from '../../support/zip'

const changedAt = (entry: Partial<Entry>): string | null => {
  const source = toZipSource(zipOf([{ name: 'a', ...entry }]))
  const [read] = readDirectory(source, { entries: 1, bytes: 100, ratio: () => 200 })
  return read?.changedAt == null ? null : new Date(read.changedAt).toISOString()
}
const dos = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0) =>
  (((year - 1980) << 25) | (month << 21) | (day << 16) | (hour << 11) | (minute << 5) | (second / 2)) >>> 0

const field = (id: number, ...bytes: number[]) => [id & 255, id >> 8, bytes.length & 255, bytes.length >> 8, ...bytes]
const int32 = (seconds: number) => [...new Uint8Array(new Int32Array([seconds]).buffer)]
const fileTime = (iso: string) => [
  ...new Uint8Array(new BigUint64Array([(BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n]).buffer),
]
const extended = (iso: string, flags = 1, ...more: number[]) =>
  field(0x5455, flags, ...int32(Date.parse(iso) / 1000), ...more)
const ntfs = (iso: string, tag = 1) =>
  field(0x000a, 0, 0, 0, 0, tag, 0, 24, 0, ...fileTime(iso), ...fileTime(iso), ...fileTime(iso))
const extra = (...bytes: number[]) => new Uint8Array(bytes)

const DOS = dos(2020, 2, 29, 23, 59, 58)
const [DOS_TEXT, ISO] = ['2020-02-29T23:59:58.000Z', '2019-07-08T09:10:11.000Z']

describe('the time of a zip entry', () => {
  test.each([
    ['of DOS is read as UTC, since it has no zone', { dosTime: DOS }, DOS_TEXT],
    ['of an extended timestamp', { dosTime: DOS, extra: extra(...extended(ISO)) }, ISO],
    ['of one with more times', { dosTime: DOS, extra: extra(...extended(ISO, 7, ...int32(0), ...int32(0))) }, ISO],
    ['of one before 1970', { extra: extra(...extended('1969-12-31T23:59:59.000Z')) }, '1969-12-31T23:59:59.000Z'],
    ['of one behind other fields', { extra: extra(...field(0x7875, 1, 4), ...extended(ISO)) }, ISO],
    ['of NTFS', { dosTime: DOS, extra: extra(...ntfs('2019-07-08T09:10:11.123Z')) }, '2019-07-08T09:10:11.123Z'],
    ['of an extended timestamp before NTFS', { extra: extra(...extended(ISO), ...ntfs(DOS_TEXT)) }, ISO],
    ['of an extended timestamp behind NTFS', { extra: extra(...ntfs(DOS_TEXT), ...extended(ISO)) }, ISO],
  ] satisfies [string, Partial<Entry>, string][])('%s', (_, entry, expected) => {
    expect(changedAt(entry)).toBe(expected)
  })

  test.each([
    ['an extended timestamp without the time of change', extra(...extended(ISO, 2))],
    ['one that is cut off', extra(...extended(ISO).slice(0, 6))],
    ['one without bytes', extra(...field(0x5455))],
    ['another attribute of NTFS', extra(...ntfs(ISO, 2))],
    ['NTFS without a time', extra(...ntfs('1601-01-01T00:00:00.000Z'))],
    ['bytes that are no field', extra(1, 2, 3)],
  ])('is that of DOS beside %s', (_, bytes) => {
    expect(changedAt({ dosTime: DOS, extra: bytes })).toBe(DOS_TEXT)
  })

  test.each([
    ['none', 0],
    ['the first one of the format', dos(1980, 1, 1)],
    ['month 0', dos(2020, 0, 1)],
    ['month 13', dos(2020, 13, 1)],
    ['30 February', dos(2020, 2, 30)],
    ['hour 24', dos(2020, 1, 1, 24)],
    ['minute 60', dos(2020, 1, 1, 0, 60)],
    ['second 60', dos(2020, 1, 1, 0, 0, 60)],
  ])('is unknown where DOS says %s', (_, dosTime) => {
    expect(changedAt({ dosTime })).toBeNull()
  })
})

describe('a time that is written', () => {
  const instants = [
    '2019-07-08T09:10:11.000Z',
    '2020-02-29T23:59:58.000Z',
    '1980-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.000Z',
    '1901-12-13T20:45:52.000Z',
    '2038-01-19T03:14:07.000Z',
  ]
  async function* entries(times: readonly (string | null)[]) {
    for (const [i, iso] of times.entries()) {
      const changed_at = iso === null ? null : Date.parse(iso)
      yield { name: `whole ${i}`, content: Buffer.from('a'), changed_at }
      yield { name: `in parts ${i}`, content: (async function* () {})(), changed_at }
    }
  }
  const timesIn = async (times: readonly (string | null)[]) => {
    const source = toZipSource(Buffer.concat(await Array.fromAsync(writeZip(entries(times)))))
    const read = readDirectory(source, { entries: 100, bytes: 1000, ratio: () => 200 })
    return read.map((entry) => (entry.changedAt === null ? null : new Date(entry.changedAt).toISOString()))
  }

  test('is read back to the second', async () => {
    expect(await timesIn(instants)).toEqual(instants.flatMap((iso) => [iso, iso]))
    expect(await timesIn(['2019-07-08T09:10:11.999Z'])).toEqual(Array(2).fill('2019-07-08T09:10:11.000Z'))
  })

  test('beyond the extended timestamp is that of DOS, and beyond both is none', async () => {
    const [inDos, none] = ['2038-01-19T03:14:08.000Z', '2108-01-01T00:00:00.000Z']
    expect(await timesIn([inDos, none, '1901-12-13T20:45:51.000Z', null])).toEqual(
      [inDos, null, null, null].flatMap((iso) => [iso, iso]),
    )
  })
})
