import { expect } from 'chai';
import { createBodyBudget } from '../../api/middleware/body-budget.ts';

describe('The budget of bodies', () => {
  it('has room for so many bytes of all clients together, and again once they are given back', () => {
    const budget = createBodyBudget(100, 10);
    budget.take('a', 50);
    budget.take('b', 50);
    expect(() => budget.take('c', 1)).to.throw(/Too many/);
    budget.giveBack('a', 20);
    budget.take('c', 20);
    expect(() => budget.take('c', 1)).to.throw(/Too many/);
  });

  it('leaves half of the room to others, whatever one client holds', () => {
    const budget = createBodyBudget(100, 10);
    budget.take('greedy', 50);
    expect(() => budget.take('greedy', 1)).to.throw(/Too many/);
    budget.take('modest', 50);
    budget.giveBack('greedy', 50);
    budget.take('greedy', 50);
  });

  it('gives one client no more than a part of it', () => {
    const budget = createBodyBudget(100, 10, 4);
    budget.take('a', 25);
    expect(() => budget.take('a', 1)).to.throw(/Too many/);
    budget.take('b', 25);
  });

  it('always has room for one of the largest bodies, if nobody else is there', () => {
    const budget = createBodyBudget(100, 80);
    budget.take('a', 80);
    expect(() => budget.take('a', 1)).to.throw(/Too many/);
  });
});
