/** The key page: opens the store and wires its parts. */

import { byId } from './dom.js'
import { troubleInWords } from './key-format.js'
import { browserStorage, KeyStore } from './key-store.js'
import { startKeys } from './keys.js'
import { startPlayground } from './playground.js'
import { startUsage } from './usage.js'

const store = new KeyStore(browserStorage())
const usage = startUsage()
const playground = startPlayground(usage.refresh)
/** Lies below what is seen first, and so is loaded after it. @type {ReturnType<typeof import('./connect.js').startConnect> | null} */
let connect = null

function showChosen() {
  const trouble = byId('storage-trouble', HTMLElement)
  trouble.hidden = store.trouble === null
  trouble.textContent = store.trouble && troubleInWords(store.trouble)
  usage.show(store.chosen?.key ?? null)
  playground.use(store.chosen)
  connect?.use(store.chosen)
}

if (store.keys.length > 0) welcomeBack()
document.documentElement.classList.remove('waiting')
startKeys(store)
store.addEventListener('change', showChosen)
showChosen()
import('./connect.js').then(
  ({ startConnect }) => {
    connect = startConnect()
    connect.use(store.chosen)
  },
  () => byId('connect', HTMLElement).remove(),
)

/** Who has keys finds them first, and how to make one further down. */
function welcomeBack() {
  const make = byId('make', HTMLElement)
  byId('content', HTMLElement).insertBefore(byId('keys', HTMLElement), make)
  byId('plain', HTMLElement).before(make)
  byId('make-title', HTMLElement).textContent = 'Make another key'
  byId('make-another', HTMLElement).hidden = false
  make.classList.add('further')
}

window.addEventListener('storage', (event) => {
  if (event.key === null || event.key === KeyStore.SLOT) store.refresh()
})

window.addEventListener('beforeunload', (event) => {
  if (store.keys.some(({ saved }) => !saved)) event.preventDefault()
})
