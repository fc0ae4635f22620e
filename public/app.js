/** The key page: opens the store and wires its parts. */

import { byId } from './dom.js'
import { browserStorage, KeyStore } from './key-store.js'
import { startKeys } from './keys.js'
import { startPlayground } from './playground.js'
import { startUsage } from './usage.js'

const store = new KeyStore(browserStorage())
const usage = startUsage()
const playground = startPlayground(usage.refresh)
const tab = browserStorage('sessionStorage')
/** Lies below what is seen first, and so is loaded after it. @type {ReturnType<typeof import('./connect.js').startConnect> | null} */
let connect = null

/** The key that the page spoke of last. @type {string | null} */
let shownKey = null

function showChosen() {
  const used = store.chosen?.key ?? null
  if (used !== shownKey) {
    byId('adopt', HTMLElement).hidden = true // these spoke of another workspace
    byId('leave-state', HTMLElement).textContent = ''
  }
  shownKey = used
  const trouble = byId('storage-trouble', HTMLElement)
  trouble.hidden = store.trouble === null
  trouble.textContent = store.trouble
  usage.show(store.chosen?.key ?? null)
  playground.use(store.chosen)
  connect?.use(store.chosen)
}

if (store.keys.length > 0) welcomeBack()
document.documentElement.classList.remove('waiting')
startKeys(store, (kept) =>
  withWorkspace((workspace) => workspace.offerToAdopt(kept, () => store.chosen?.key === kept.key, usage.refresh)),
)
byId('export-start', HTMLButtonElement).addEventListener('click', () =>
  withWorkspace((workspace) => workspace.exportAll(store.chosen, usage.refresh)),
)
byId('erase-start', HTMLButtonElement).addEventListener('click', () =>
  withWorkspace((workspace) => workspace.askToErase(store.chosen, usage.refresh)),
)
startUploads()
store.addEventListener('change', showChosen)
showChosen()
import('./connect.js').then(
  ({ startConnect }) => {
    connect = startConnect(usage.refresh)
    connect.use(store.chosen)
  },
  () => byId('connect', HTMLElement).remove(),
)

/** Who has keys finds them and their figures first, and how to make one further down. */
function welcomeBack() {
  const [keys, make] = [byId('keys', HTMLElement), byId('make', HTMLElement)]
  byId('content', HTMLElement).insertBefore(keys, make)
  keys.after(byId('this-hour', HTMLElement))
  byId('plain', HTMLElement).before(make)
  byId('make-title', HTMLElement).textContent = 'Make another key'
  byId('make-another', HTMLElement).hidden = false
  make.classList.add('further')
}

/**
 * What exports, erases and adopts is loaded by those who do.
 * @param {(workspace: typeof import('./workspace.js')) => unknown} act
 */
async function withWorkspace(act) {
  const workspace = await import('./workspace.js').catch(() => null)
  if (workspace) await act(workspace)
  else byId('leave-state', HTMLElement).textContent = 'The server cannot be reached.'
}

/** What imports files is loaded by those who import one. */
function startUploads() {
  const form = byId('upload-form', HTMLFormElement)
  const load = async (/** @type {'importChosen' | 'findImport'} */ act, dry = false) => {
    const uploads = await import('./uploads.js').catch(() => null)
    if (uploads) await uploads[act](store.chosen?.key ?? null, usage.refresh, dry)
    else byId('upload-fault', HTMLElement).textContent = 'The server cannot be reached.'
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    load('importChosen')
  })
  byId('upload-try', HTMLElement).addEventListener('click', () => form.reportValidity() && load('importChosen', true))
  byId('upload-go', HTMLElement).addEventListener('click', () => load('importChosen'))
  takeDropped(() => load('importChosen', true))
  if (tab && tab.getItem('satchel.import') !== null) load('findImport')
}

/**
 * Files may be dropped anywhere on the page: they are chosen, and nothing is changed before the person has seen what would be.
 * @param {() => void} onDrop
 */
function takeDropped(onDrop) {
  const file = byId('upload-file', HTMLInputElement)
  const show = (/** @type {boolean} */ over) => document.documentElement.classList.toggle('dropping', over)
  file.addEventListener('change', () => byId('upload-go', HTMLElement).toggleAttribute('hidden', true))
  window.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    show(true)
  })
  window.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && show(false))
  window.addEventListener('drop', (event) => {
    show(false)
    const { files } = event.dataTransfer ?? {}
    if (!files?.length) return
    event.preventDefault()
    if (byId('upload-start', HTMLElement).ariaDisabled === 'true') return
    file.files = files
    byId('upload-title', HTMLElement).scrollIntoView()
    onDrop()
  })
}

window.addEventListener('storage', (event) => {
  if (event.key === null || event.key === KeyStore.SLOT) store.refresh()
})

window.addEventListener('beforeunload', (event) => {
  const sending = tab?.getItem('satchel.import') === '' // once it is sent, it goes on without the page
  if (sending || store.keys.some(({ saved }) => !saved)) event.preventDefault()
})
