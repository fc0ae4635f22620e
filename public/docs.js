/** What the pages of the documentation do beyond being read: samples with the chosen key, one language, and the search. */

import { putKey, SAMPLE_BASE } from './docs-samples.js'
import { Search } from './docs-search.js'
import { button, copy, element, flash, say, select } from './dom.js'
import { maskKey } from './key-format.js'
import { browserStorage, KeyStore } from './key-store.js'

const LANGUAGE_SLOT = 'satchel.language'

const root = new URL(document.body.dataset.root ?? './', location.href).href
const storage = browserStorage()
const store = new KeyStore(storage)

/**
 * A program on the page.
 * @typedef {object} Sample
 * @property {HTMLElement} place
 * @property {(key: string | null) => string} write the program with a key, whole or masked, or without one
 */

/** @type {Sample[]} */
const samples = [...document.querySelectorAll('pre.block code')].flatMap((place) =>
  place instanceof HTMLElement ? [{ place, write: writerOf(place) }] : [],
)

/**
 * @param {HTMLElement} place with a sample as the server wrote it: what is in it only for the key is marked
 * @returns {Sample['write']}
 */
function writerOf(place) {
  const whole = place.textContent
  place.querySelector('span')?.remove()
  const bare = place.textContent
  const language = place.closest('details')?.dataset.language ?? 'curl'
  const address = place.closest('[data-keeps-address]') ? SAMPLE_BASE : root.slice(0, -1)
  return (key) => (key === null ? bare : putKey(language, whole, key)).replaceAll(SAMPLE_BASE, () => address)
}

/** Shows samples with this server's address and without the middle of the key. */
function show(some = samples) {
  const key = store.chosen && maskKey(store.chosen.key)
  for (const { place, write } of some) place.textContent = write(key)
}

for (const sample of samples) {
  const { place } = sample
  const pressed = button('Copy', async () => {
    const whole = sample.write(store.chosen?.key ?? null)
    if (await copy(whole)) {
      flash(pressed, 'Copied')
      say('Copied.')
      return
    }
    place.textContent = whole
    select(place)
    say('This browser does not let the page copy. The text is selected: copy it yourself.')
  })
  pressed.classList.add('steady', 'scripted')
  place.closest('pre')?.after(pressed)
}

/** Says whose key the samples have. */
function tellKey() {
  const place = document.getElementById('whose-key')
  const { chosen } = store
  const words = chosen
    ? ['The samples have your key “', element('bdi', {}, chosen.name), '”; its middle is copied, and not shown. ']
    : ['The samples have no key: they use the free tier, and a scratch space that your network address shares. ']
  place?.replaceChildren(...words, element('a', { href: root }, chosen ? 'Choose another key' : 'Make a key'))
}

function refresh() {
  show()
  tellKey()
}
refresh()
store.addEventListener('change', refresh)
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
    if (!(target instanceof HTMLDetailsElement) || !target.open) return
    if (target.matches('.try')) openTry(target)
    if (!target.dataset.language) return
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

/**
 * Makes the form of a call when it is opened first.
 * @param {HTMLDetailsElement} place
 */
async function openTry(place) {
  if (place.childElementCount > 1) return
  const waiting = element('p', { class: 'fine' }, 'One moment…')
  place.append(waiting)
  try {
    const { startTry } = await import('./docs-try.js')
    const own = samples.filter((sample) => place.closest('section')?.contains(sample.place))
    await startTry(place, { root, store, samples: own, show: () => show(own) })
    waiting.remove()
  } catch (error) {
    const again = button('Try again', () => {
      place.replaceChildren(...[place.firstElementChild ?? ''])
      openTry(place)
    })
    waiting.replaceChildren(`This did not load: ${error instanceof Error ? error.message : error}. `, again)
  }
}

const search = new Search(root)
document.querySelector('.masthead nav')?.append(search.opener)
window.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  search.open()
})
