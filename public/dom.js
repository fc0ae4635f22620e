/** Building and finding elements. Text is only ever set as text: nothing here parses HTML. */

/**
 * The element of the page with this id.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 * @throws when the page has no such element: page and script do not belong together
 */
export function byId(id, kind) {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`The page has no ${kind.name} with the id "${id}"`)
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children strings become text
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/**
 * @param {string} text
 * @param {() => void} act
 */
export function button(text, act) {
  const made = element('button', { type: 'button' }, text)
  made.addEventListener('click', act)
  return made
}

/**
 * Tells it to a screen reader; nothing is seen.
 * @param {string} text
 */
export function say(text) {
  const said = byId('said', HTMLElement)
  said.textContent = said.textContent === text ? `${text} ` : text // the same text twice would not be read again
}

/**
 * Shows for two seconds that a button did its work.
 * @param {HTMLButtonElement} pressed
 * @param {string} word
 */
export function flash(pressed, word) {
  pressed.dataset.label ??= pressed.textContent
  pressed.textContent = word
  clearTimeout(Number(pressed.dataset.timer))
  const timer = setTimeout(() => pressed.replaceChildren(pressed.dataset.label ?? ''), 2000)
  pressed.dataset.timer = String(timer)
}

/**
 * Puts text on the clipboard. The modern way exists only under https and on localhost; a server in the home network has
 * neither, so the old way stays.
 * @param {string} text
 * @returns {Promise<boolean>} false if the browser forbids both
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** @param {string} text */
function copyBySelection(text) {
  const before = document.activeElement
  const field = element('textarea', { class: 'unseen', readonly: '', 'aria-hidden': 'true' })
  field.value = text
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}

/**
 * Selects all there is to read in an element.
 * @param {HTMLElement} place
 */
export function select(place) {
  getSelection()?.selectAllChildren(place)
}

/**
 * @param {Blob} content
 * @param {string} fileName
 */
export function download(content, fileName) {
  const address = URL.createObjectURL(content)
  const link = element('a', { href: address, download: fileName })
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000) // a browser that asks where to save still needs it
}
