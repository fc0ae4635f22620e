import { expect, test } from 'bun:test'
import { citeWhole, factText, listShownFields } from '../../src/tools/source'

const FACT = {
  ...{ id: 'f', revision: 2, type: 'custom' as const, front: null, back: null, text: null, tags: [], deleted_at: null },
  fields: { Picture: '<img src="a.png">', Word: '<b>rio</b> &amp; mar', Meaning: 'river' },
}

test('a custom fact is quoted by its first field with a text', () => {
  expect(factText(FACT)).toBe('rio  & mar')
  expect(citeWhole.fact(FACT)).toMatchObject({ title: 'rio  & mar', text: 'rio  & mar', start: 0, end: 10 })
  expect(listShownFields(FACT)).toEqual(['rio  & mar', 'river'])
})

test('other facts are quoted by their texts, also with fields', () => {
  expect(factText({ ...FACT, front: 'o rio' })).toBe('o rio')
  expect(factText({ ...FACT, text: '{{c1::o}} rio' })).toBe('{{c1::o}} rio')
  expect(factText({ ...FACT, fields: null })).toBe('')
})
