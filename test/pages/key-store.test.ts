import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeyStore, NAME_LIMIT, tidyName } from '../../public/key-store.js'

/** As much of the browser's Storage as the keys need, with room for values of so many characters. */
class MemoryStorage {
  #items = new Map<string, string>()
  constructor(public room = Number.POSITIVE_INFINITY) {}
  getItem(name: string) {
    return this.#items.get(name) ?? null
  }
  setItem(name: string, value: string) {
    if (value.length > this.room) throw new DOMException('full', 'QuotaExceededError')
    this.#items.set(name, value)
  }
  clear() {
    this.#items.clear()
  }
}

const kept = (key: string) => ({ key, name: `Name of ${key}`, made_at: '2026-03-01T08:15:00.000Z', saved: false })
const keysOf = (store: KeyStore) => store.keys.map(({ key }) => key)

describe('keys', () => {
  test('outlive the page: newest first, with the choice', () => {
    const storage = new MemoryStorage()
    const store = new KeyStore(storage)
    for (const key of ['one', 'two', 'three']) store.add(kept(key))
    store.choose('one')
    store.rename('two', 'Second')
    store.markSaved(['two'])
    const later = new KeyStore(storage)
    expect(keysOf(later)).toEqual(['three', 'two', 'one'])
    expect(later.chosen?.key).toBe('one')
    expect(later.keys[1]).toMatchObject({ name: 'Second', saved: true })
    expect(later.trouble).toBeNull()
  })

  test('are never kept twice: adding one again only chooses it', () => {
    const store = new KeyStore(new MemoryStorage())
    expect(store.add(kept('one'))).toBe(true)
    store.add(kept('two'))
    expect(store.add({ ...kept('one'), name: 'Other' })).toBe(false)
    expect(keysOf(store)).toEqual(['two', 'one'])
    expect(store.chosen?.name).toBe('Name of one')
  })

  test('that come together keep their order, are written once, and the first is chosen', () => {
    const store = new KeyStore(new MemoryStorage())
    store.add(kept('old'))
    let changes = 0
    store.addEventListener('change', () => changes++)
    const fresh = store.addAll(['one', 'old', 'two', 'one'].map(kept))
    expect(fresh.map(({ key }) => key)).toEqual(['one', 'two'])
    expect(keysOf(store)).toEqual(['one', 'two', 'old'])
    expect([store.chosen?.key, changes]).toEqual(['one', 1])
  })

  test('that are removed leave no choice and no trace', () => {
    const storage = new MemoryStorage()
    const store = new KeyStore(storage)
    store.add(kept('secret'))
    store.remove('secret')
    expect(store.chosen).toBeNull()
    expect(storage.getItem(KeyStore.SLOT)).not.toContain('secret')
  })

  test.each<[string, chosen: (string | null)[], removed: string, next: string]>([
    ['the one used before', ['one', 'four', 'two'], 'two', 'four'],
    ['the one used before, however often it was chosen', ['one', 'three', 'one', 'two', 'one'], 'one', 'two'],
    ['the one used before going without a key', ['one', null, 'three'], 'three', 'one'],
    ['where no other was used, the next in the list', ['three'], 'three', 'two'],
    ['at the end of the list, the one before', ['one'], 'one', 'two'],
  ])('of which the chosen one is removed: %s is chosen', (_, chosen, removed, next) => {
    const storage = new MemoryStorage()
    const names = ['four', 'three', 'two', 'one']
    storage.setItem(KeyStore.SLOT, JSON.stringify({ version: 1, chosen: null, keys: names.map(kept) }))
    for (const key of chosen) new KeyStore(storage).choose(key)
    const store = new KeyStore(storage)
    store.remove(removed)
    expect(store.chosen?.key).toBe(next)
    expect(new KeyStore(storage).chosen?.key).toBe(next)
    expect(storage.getItem(KeyStore.SLOT)).not.toContain(removed)
    for (const key of names) store.remove(key)
    expect([store.chosen, storage.getItem(KeyStore.SLOT)]).toEqual([
      null,
      JSON.stringify({ version: 1, chosen: null, recent: [], keys: [] }),
    ])
  })

  test.each([
    ['another key', 'two'],
    ['no key', null],
  ])('of which one is removed while %s is chosen leave the choice as it is', (_, chosen) => {
    const store = new KeyStore(new MemoryStorage())
    for (const key of ['one', 'two', 'three']) store.add(kept(key))
    store.choose(chosen)
    store.remove('three')
    store.remove('never kept')
    expect([store.chosen?.key ?? null, ...keysOf(store)]).toEqual([chosen, 'two', 'one'])
  })

  test('that are not kept, or twice in what was used, are chosen by nothing', () => {
    const storage = new MemoryStorage()
    const recent = [1, 'gone', 'two', 'one', 'one']
    storage.setItem(KeyStore.SLOT, JSON.stringify({ chosen: 'two', recent, keys: ['three', 'two', 'one'].map(kept) }))
    const store = new KeyStore(storage)
    store.choose('gone')
    expect(store.chosen).toBeNull()
    store.choose('two')
    store.remove('two')
    store.remove('one')
    expect([store.chosen?.key, store.trouble]).toEqual(['three', null])
    expect(storage.getItem(KeyStore.SLOT)).not.toMatch(/gone|one|two/)
  })

  test('of two tabs do not overwrite each other', () => {
    const storage = new MemoryStorage()
    const [left, right] = [new KeyStore(storage), new KeyStore(storage)]
    left.add(kept('left'))
    right.add(kept('right'))
    left.refresh()
    expect(keysOf(left)).toEqual(['right', 'left'])
    left.remove('right')
    right.markSaved(['left'])
    expect(keysOf(right)).toEqual(['left'])
  })

  test('cleared from outside are gone here too', () => {
    const storage = new MemoryStorage()
    const store = new KeyStore(storage)
    store.add(kept('one'))
    storage.clear()
    store.refresh()
    expect(store.keys).toEqual([])
  })
})

describe('without storage', () => {
  test('keys live in memory and the store says so', () => {
    const store = new KeyStore(null)
    for (const key of ['one', 'two', 'three']) store.add(kept(key))
    expect(keysOf(store)).toEqual(['three', 'two', 'one'])
    store.choose('one')
    store.remove('one')
    expect(store.chosen?.key).toBe('three')
    expect(store.trouble).toBe('denied')
  })

  test('a full one loses no key of this page, and recovers', () => {
    const storage = new MemoryStorage(150)
    const store = new KeyStore(storage)
    for (const key of ['one', 'two', 'three']) store.add(kept(key))
    expect(keysOf(store)).toEqual(['three', 'two', 'one'])
    expect(store.trouble).toBe('denied')
    storage.room = 10_000
    store.choose(null)
    expect(store.trouble).toBeNull()
    expect(keysOf(new KeyStore(storage))).toEqual(['three', 'two', 'one'])
  })
})

describe('contents that cannot be read', () => {
  test.each(['', '{', 'null', '{"keys":{}}', '[]', '{"keys":[1]}'])(
    '%j is put aside untouched and reported',
    (text) => {
      const storage = new MemoryStorage()
      storage.setItem(KeyStore.SLOT, text)
      const store = new KeyStore(storage)
      store.add(kept('one'))
      expect(storage.getItem('satchel.keys.unreadable')).toBe(text)
      expect(keysOf(store)).toEqual(['one'])
      expect(store.trouble).toBe('unreadable')
    },
  )

  test.each([{ key: 'half' }, { ...kept('late'), made_at: 'yesterday' }, kept('no header takes é'), kept('good')])(
    'keep the entries that can be read, without %j',
    (bad) => {
      const storage = new MemoryStorage()
      storage.setItem(KeyStore.SLOT, JSON.stringify({ keys: [kept('good'), bad], chosen: 'good' }))
      const store = new KeyStore(storage)
      expect(store.chosen?.key).toBe('good')
      expect(keysOf(store)).toEqual(['good'])
      expect(store.trouble).toBe('unreadable')
    },
  )

  test('are not written over when there is no room to put them aside', () => {
    const storage = new MemoryStorage()
    storage.setItem(KeyStore.SLOT, '{'.repeat(200))
    storage.room = 150
    const store = new KeyStore(storage)
    store.add(kept('one'))
    expect(storage.getItem(KeyStore.SLOT)).toBe('{'.repeat(200))
    expect(keysOf(store)).toEqual(['one'])
  })
})

test('a name is one line of at most 60 code points, never empty, and tidying it twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const name = tidyName(text, 'Key 1')
      expect([...name].length).toBeWithin(1, NAME_LIMIT + 1)
      expect(name).not.toMatch(/[\n\r\t]/)
      expect(tidyName(name, 'other')).toBe(name)
    }),
  )
})

test.each([
  ['\u202Egnp.exe', 'gnp.exe'],
  ['\u2066a\u2069b', 'ab'],
  ['\u200B\u2060\uFEFF', 'Key 1'],
  [`e${'\u0301'.repeat(50)}x`, 'e\u0301\u0301\u0301\u0301x'],
  ['👩\u200D🚀 ไม่', '👩\u200D🚀 ไม่'],
])('a name turns no text around, towers over no line and is never invisible: %j', (text, name) => {
  expect(tidyName(text, 'Key 1')).toBe(name)
})
