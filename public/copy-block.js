/** A text to copy, with the key in it: shown without the middle of the key, copied whole. */

import { byId, copy, flash, say, select } from './dom.js'
import { maskKey } from './key-format.js'

/** @typedef {import('./key-store.js').KeptKey} KeptKey */

const MASKED = 'Shown without the middle of your key. Copying takes the whole key.'
const BY_HAND = 'This browser does not let the page copy. The text is selected with the whole key: copy it yourself.'

/** The elements `NAME`, `NAME-note` and `copy-NAME` of the page. */
export class CopyBlock {
  #place
  #note
  #write
  /** @type {KeptKey | null} */
  #chosen = null

  /**
   * @param {string} name
   * @param {(key: string | null) => string} write the text with a key, whole or masked, or without one
   */
  constructor(name, write) {
    this.#write = write
    this.#place = byId(name, HTMLElement)
    this.#note = byId(`${name}-note`, HTMLElement)
    const pressed = byId(`copy-${name}`, HTMLButtonElement)
    pressed.addEventListener('click', () => this.#copy(pressed))
  }

  /** @param {KeptKey | null} chosen */
  show(chosen) {
    this.#chosen = chosen
    this.#place.textContent = this.#write(chosen && maskKey(chosen.key))
    this.#note.hidden = chosen === null
    this.#note.textContent = MASKED
  }

  /** @param {HTMLButtonElement} pressed */
  async #copy(pressed) {
    const whole = this.#write(this.#chosen?.key ?? null)
    if (await copy(whole)) {
      flash(pressed, 'Copied')
      say('Copied.')
      return
    }
    this.#place.textContent = whole
    select(this.#place)
    this.#note.hidden = false
    this.#note.textContent = BY_HAND
    say(BY_HAND)
  }
}
