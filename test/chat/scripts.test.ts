import { afterAll, expect, test } from 'bun:test'
import { cost } from '../support/cost'
import { slow } from '../support/full'
import { type Caller, makeCallers } from './support'

/** Scripts that put no spaces between words, or whose words carry particles along: what is asked for stands inside runs. */

const NOTES = {
  Kyoto: '京都のホテルは駅の北口にあります。朝食は七時からです。',
  Library: '図書館の会員証は青い財布の中です。',
  無線: '家のWiFiはKestrelで、WiFiのパスワードはheron42です。',
  酒店: '我们住的酒店在火车站北口。早餐七点开始。',
  护照: '护照放在书桌的第二个抽屉里。',
  보일러: '새보일러의 보증기간은 2027년 5월까지입니다. 점검은 시월에 합니다.',
  와이파이: '와이파이 비밀번호는 두루미42입니다.',
  โรงแรม: 'โรงแรมอยู่ใกล้สถานีรถไฟ อาหารเช้าเริ่มเจ็ดโมง',
  ยา: 'ยาแก้แพ้อยู่ในลิ้นชักห้องครัว',
}

const { world, caller } = await makeCallers()
afterAll(world.close)
const me = await caller(Object.entries(NOTES).map(([title, body]) => ({ title, body })))

const quoted = async (by: Caller, question: string) => (await by.ask(question)).citations[0]

test.each([
  ['京都のホテルはどこですか？', 'Kyoto', '北口'],
  ['朝食は何時ですか？', 'Kyoto', '七時'],
  ['WiFiのパスワードは何ですか？', '無線', 'heron42'],
  ['会員証はどこにありますか？', 'Library', '青い財布'],
  ['ﾎﾃﾙはどこですか？', 'Kyoto', '北口'],
  ['酒店在哪里？', '酒店', '北口'],
  ['早餐是什么时候？', '酒店', '七点'],
  ['护照放在哪里？', '护照', '第二个抽屉'],
  ['보증기간은 언제까지입니까?', '보일러', '2027년'],
  ['비밀번호는?', '와이파이', '두루미42'],
  ['โรงแรมอยู่ที่ไหน', 'โรงแรม', 'สถานีรถไฟ'],
  ['อาหารเช้าเริ่มกี่โมง', 'โรงแรม', 'เจ็ดโมง'],
  ['ยาแก้แพ้อยู่ที่ไหน', 'ยา', 'ลิ้นชัก'],
])('%s is answered from the note', async (question, title, answer) => {
  const citation = await quoted(me, question)
  expect(citation?.title).toBe(title)
  expect(citation?.quote).toContain(answer)
})

test.each(['東京タワーの高さは？', '蒙古的首都是什么？', '에펠탑은 언제 지었습니까?', 'เมืองหลวงของมองโกเลียคืออะไร'])(
  '%s has no answer here',
  async (question) => expect(await quoted(me, question)).toBeUndefined(),
)

test('what another workspace holds is neither quoted nor counted', async () => {
  const before = await quoted(me, '京都のホテルはどこですか？')
  const other = await caller([{ title: '京都', body: '京都のホテルは南口です。' }])
  expect(await quoted(me, '京都のホテルはどこですか？')).toEqual(before)
  expect((await quoted(other, '京都のホテルはどこですか？'))?.quote).toBe('京都のホテルは南口です。')
  expect(await quoted(other, '会員証はどこにありますか？')).toBeUndefined()
})

test('a note is asked for what it says now, and no more once it is in the trash', async () => {
  const other = await caller()
  const id = await other.add({ title: '鍵', body: '予備の鍵は植木鉢の下です。' })
  expect((await quoted(other, '予備の鍵はどこですか？'))?.quote).toContain('植木鉢')
  await world.call(other, 'PATCH', `/api/notes/${id}`, { body: '予備の鍵は隣人が持っています。' })
  expect((await quoted(other, '予備の鍵はどこですか？'))?.quote).toContain('隣人')
  await world.call(other, 'DELETE', `/api/notes/${id}`)
  expect(await quoted(other, '予備の鍵はどこですか？')).toBeUndefined()
})

slow('long runs in a long note of one character are looked for in under a second', async () => {
  const long = await caller([{ title: '가', body: '가'.repeat(340_000) }])
  const look = () => quoted(long, '가'.repeat(4096))
  const runs = Array.from({ length: 80 }, (_, i) => '가'.repeat(i + 1)).join(' ')
  expect(await cost(1000, look)).toBeLessThan(1000)
  expect(await cost(1000, () => quoted(long, runs))).toBeLessThan(1000)
})
