/** One key in the list: its name to choose it by and, when chosen, the key itself and what can be done with it. */

import { button, element, say, select } from './dom.js'
import { maskKey } from './key-format.js'
import { tidyName } from './key-store.js'

/** @typedef {import('./key-store.js').KeptKey} KeptKey */

/**
 * What the person can ask of a key.
 * @typedef {object} KeyActions
 * @property {() => void} choose
 * @property {(pressed: HTMLButtonElement) => void} copy
 * @property {() => void} copiedByHand the person did it without the button
 * @property {() => void} download
 * @property {() => void} toPhone
 * @property {(name: string) => void} rename
 * @property {() => void} remove
 */

const UNSAVED = 'Never copied. Copy or download it now: if this browser forgets it, it is gone.'
const BY_HAND = 'This browser does not let the page copy. The key is selected: copy it yourself.'
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** The list entry of a key; `root` is its element, `update` brings it up to date without replacing it. */
export class KeyItem {
  #radio = element('input', { type: 'radio', name: 'chosen' })
  #name = element('bdi', { class: 'key-name' })
  #mask = element('code', { class: 'quiet' })
  #text = element('code', { class: 'key-text', translate: 'no' })
  #note = element('p')
  #onward = element('a', { href: '#try-title' }, 'Send a first request')
  #detail = element('div', { class: 'key-detail', role: 'group' })
  #renaming = element('form', { class: 'joined rename', hidden: '' })
  #newName = element('input', { 'aria-label': 'New name', autocomplete: 'off', maxlength: '120' })
  #copy
  #show
  #rename
  #key

  /**
   * @param {KeptKey} kept
   * @param {KeyActions} actions
   */
  constructor(kept, actions) {
    this.#key = kept.key
    this.#copy = button('Copy', () => actions.copy(this.#copy))
    this.#copy.classList.add('steady')
    this.#text.addEventListener('copy', () => getSelection()?.toString().trim() === this.#key && actions.copiedByHand())
    this.#show = button('Show', () => this.reveal(this.#show.textContent === 'Show'))
    this.#rename = button('Rename', () => this.#startRenaming())
    this.#mask.textContent = maskKey(kept.key)
    this.#radio.addEventListener('change', actions.choose)
    this.#fillRenaming(actions)
    const row = element(
      'div',
      { class: 'row' },
      this.#copy,
      this.#show,
      button('Download', actions.download),
      button('To a phone', actions.toPhone),
      this.#rename,
    )
    row.append(button('Delete', actions.remove))
    this.#detail.append(this.#text, row, this.#renaming, this.#note)
    const label = element('label', { class: 'pick' }, this.#radio, this.#name, this.#mask)
    /** @readonly */
    this.root = element('li', { class: 'key' }, label, this.#detail)
    this.reveal(false)
  }

  /**
   * @param {KeptKey} kept
   * @param {boolean} chosen
   */
  update({ name, saved, made_at }, chosen) {
    this.#name.textContent = name
    this.#detail.setAttribute('aria-label', name)
    this.#radio.checked = chosen
    this.#detail.hidden = !chosen
    this.#mask.hidden = chosen
    if (!chosen) this.reveal(false)
    this.#copy.classList.toggle('primary', !saved)
    this.#note.classList.toggle('fine', saved)
    this.#note.replaceChildren(...(saved ? [`Here since ${day.format(new Date(made_at))}. `, this.#onward] : [UNSAVED]))
  }

  /** @param {boolean} shown whether the key can be read on the screen */
  reveal(shown) {
    this.#text.textContent = shown ? this.#key : maskKey(this.#key)
    this.#show.textContent = shown ? 'Hide' : 'Show'
  }

  /** Puts the focus on its place in the list. */
  focus() {
    this.#radio.focus()
  }

  /** Puts the focus on what one does with a new key, and all there is to say about it in sight. */
  focusCopy() {
    this.#copy.focus()
    this.root.scrollIntoView({ block: 'nearest' })
  }

  /** For a browser that lets no page copy: leaves one keystroke to the person, and says so. */
  askToCopy() {
    this.reveal(true)
    select(this.#text)
    this.note(BY_HAND)
  }

  /** @param {string} words said below the key, and to a screen reader */
  note(words) {
    this.#note.textContent = words
    say(words)
  }

  /** @param {KeyActions} actions */
  #fillRenaming(actions) {
    const cancel = button('Cancel', () => this.#endRenaming())
    this.#renaming.append(this.#newName, element('button', { type: 'submit' }, 'Save'), cancel)
    this.#renaming.addEventListener('submit', (event) => {
      event.preventDefault()
      actions.rename(tidyName(this.#newName.value, this.#name.textContent))
      this.#endRenaming()
    })
    this.#renaming.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#endRenaming()
    })
  }

  #startRenaming() {
    this.#newName.value = this.#name.textContent
    this.#renaming.hidden = false
    this.#newName.select()
  }

  #endRenaming() {
    this.#renaming.hidden = true
    this.#rename.focus()
  }
}
