/** A key on its way to another device: shown as a QR code, and taken in from the link that the code holds. */

import { BASE } from './api.js'
import { button, byId, element, say } from './dom.js'
import { faultOfKey, maskKey } from './key-format.js'
import { encodeQr } from './qr.js'

/** @typedef {import('./key-store.js').KeptKey} KeptKey */

/** How long a code is shown, in milliseconds. */
const SHOWN_MS = 60_000
const QUIET = 4
const SVG = 'http://www.w3.org/2000/svg'

/**
 * Shows a key as a code that holds a link to this page with the key in its fragment, which no browser sends to a server.
 * It is gone after a minute, or once nobody looks at the page.
 * @param {KeptKey} kept
 */
export function showCode({ key, name }) {
  const title = element('h2', {}, '“', element('bdi', {}, name), '” for your phone')
  const code = encodeQr(`${BASE}/#key=${encodeURIComponent(key)}`)
  if (!code)
    return open(
      title,
      [element('p', {}, 'The key and the address of this page are too long for a code. Copy the key.')],
      'Close',
    )
  const words = element(
    'p',
    {},
    'Point the camera of your phone at the code, and open the link. Treat it like a password: who sees it has the key. It is hidden again after a minute.',
  )
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
    ? [element('p', {}, `A phone cannot reach ${location.hostname}: open this page by an address that it can.`)]
    : []
  const dialog = open(title, [words, ...local, drawn(code)], 'Hide it')
  const hide = () => dialog.close()
  const timer = setTimeout(() => {
    hide()
    say('The code is hidden again.')
  }, SHOWN_MS)
  document.addEventListener('visibilitychange', hide)
  dialog.addEventListener('close', () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', hide)
  })
}

/** @param {boolean[][]} code */
function drawn(code) {
  const svg = document.createElementNS(SVG, 'svg')
  const size = code.length + 2 * QUIET
  const attributes = {
    class: 'code-to-scan',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': 'QR code with the key',
  }
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  const dark = document.createElementNS(SVG, 'path')
  const modules = code.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1`] : [])),
  )
  dark.setAttribute('d', modules.join(''))
  svg.append(dark)
  return svg
}

/**
 * Asks whether the key of a link is to be added, and says what that means: anybody can make a link.
 * @param {string} text what followed `#key=` in the address
 * @param {readonly KeptKey[]} keys those that are here
 * @param {(key: string) => void} add called when the person wants it
 */
export function askToAdd(text, keys, add) {
  const key = decoded(text)
  const fault = key === '' ? 'It is empty.' : faultOfKey(key)
  if (fault) {
    const title = element('h2', {}, 'The key in this link does not work')
    open(title, [element('p', {}, `${fault} Nothing was added.`)], 'Close')
    return
  }
  const known = keys.find((kept) => kept.key === key)
  const title = element('h2', {}, known ? 'Use this key?' : 'Add this key?')
  const which = element('p', {}, 'The link you opened holds the key ', element('code', {}, maskKey(key)))
  which.append(...(known ? [', which is here already as “', element('bdi', {}, known.name), '”.'] : ['.']))
  const meaning =
    'Go on only if you made the link yourself. Who has the link has the key as well, and can read what you write with it.'
  const dialog = open(title, [which, element('p', {}, meaning)], 'Leave it')
  const row = dialog.querySelector('.row')
  row?.append(
    button(known ? 'Use this key' : 'Add this key', () => {
      dialog.close()
      add(key)
    }),
  )
}

/** @param {string} text percent-encoded; one that is wrongly so has a character that no key can have */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return '\0'
  }
}

/**
 * Opens a dialog that is gone once it is closed.
 * @param {HTMLElement} title
 * @param {Element[]} parts
 * @param {string} leave the word on the button that closes it
 */
function open(title, parts, leave) {
  title.id = 'link-title'
  const dialog = element('dialog', { 'aria-labelledby': title.id })
  const close = button(leave, () => dialog.close())
  close.className = 'primary'
  close.autofocus = true
  dialog.append(element('div', { class: 'stack' }, title, ...parts, element('div', { class: 'row' }, close)))
  dialog.addEventListener('close', () => dialog.remove())
  byId('content', HTMLElement).after(dialog)
  dialog.showModal()
  return dialog
}
