/** What the pages of the documentation do beyond being read: samples with the chosen key, one language, and the search. */

import { openOldAddress, Search } from './docs-search.js'
import { button, copy, flash, say, select } from './dom.js'
import { maskKey } from './key-format.js'
import { browserStorage, KeyStore } from './key-store.js'

const SAMPLE_BASE = 'http://127.0.0.1:3000'
const SAMPLE_KEY = 'YOUR_KEY'
const LANGUAGE_SLOT = 'satchel.language'

const root = new URL(document.body.dataset.root ?? './', location.href).href
const storage = browserStorage()
const store = new KeyStore(storage)
/** The samples as the server wrote them. */
const samples = [...document.querySelectorAll('pre.block code')].map((place) => ({
  place,
  text: place.textContent ?? '',
}))

/**
 * @param {string} text
 * @param {string | undefined} key
 */
function filled(text, key) {
  return text.replaceAll(SAMPLE_BASE, root.slice(0, -1)).replaceAll(SAMPLE_KEY, key ?? SAMPLE_KEY)
}

/** Shows the samples with this server's address and without the middle of the key. */
function show() {
  const key = store.chosen?.key
  for (const { place, text } of samples) place.textContent = filled(text, key && maskKey(key))
}

for (const { place, text } of samples) {
  const pressed = button('Copy', async () => {
    const whole = filled(text, store.chosen?.key)
    if (await copy(whole)) {
      flash(pressed, 'Copied')
      say('Copied.')
      return
    }
    place.textContent = whole
    if (place instanceof HTMLElement) select(place)
    say('This browser does not let the page copy. The text is selected: copy it yourself.')
  })
  pressed.classList.add('steady', 'scripted')
  place.closest('pre')?.after(pressed)
}
show()
store.addEventListener('change', show)
window.addEventListener('storage', ({ key }) => {
  if (key === KeyStore.SLOT) store.refresh()
})

/** @param {string} language to open in all calls */
function openLanguage(language) {
  for (const sample of document.querySelectorAll('details.sample'))
    if (sample instanceof HTMLDetailsElement && sample.dataset.language === language) sample.open = true
}

/** @returns {string | null} null also where the browser forbids storing */
function keptLanguage() {
  try {
    return storage?.getItem(LANGUAGE_SLOT) ?? null
  } catch {
    return null
  }
}

let language = keptLanguage() ?? 'curl'
openLanguage(language)
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open || !target.dataset.language) return
    if (target.dataset.language === language) return
    language = target.dataset.language
    const before = target.getBoundingClientRect().top
    openLanguage(language)
    scrollBy(0, target.getBoundingClientRect().top - before)
    try {
      storage?.setItem(LANGUAGE_SLOT, language)
    } catch {
      say('This browser does not store the choice of a language: it is forgotten when you leave.')
    }
  },
  true, // the event does not bubble
)

const search = new Search(root)
document.querySelector('.masthead nav')?.append(search.opener)
window.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  search.open()
})
if (location.hash.startsWith('#/')) openOldAddress(root, location.hash)
