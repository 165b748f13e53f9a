module {
  aie.device(npu2) {
    %shim = aie.tile(1, 0)
    %below = aie.tile(1, 1)
    %from = aie.tile(0, 2)
    %near = aie.tile(1, 2)
    %far = aie.tile(2, 2)
    %other = aie.tile(2, 3)
    %open = aie.lock(%near, 0) {init = 0 : i32, sym_name = "open"}
    %all = aie.lock(%near, 1) {init = 0 : i32, sym_name = "all"}
    %come = aie.lock(%far, 0) {init = 0 : i32, sym_name = "come"}
    %b = aie.external_buffer : memref<16xi32>
    %1 = aie.mem(%from) {
      %0 = aie.dma(MM2S, 0) {loop = false} [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 3) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      }, {
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 8) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}
      }]
      aie.end
    }
    %2 = aie.mem(%other) {
      %0 = aie.dma(MM2S, 0) {loop = false} [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 7) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
      }]
      aie.end
    }
    %3 = aie.mem(%near) {
      %0 = aie.dma(S2MM, 0) {loop = false} [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 2)
      }, {
        aie.use_lock(%open, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 4)
        aie.use_lock(%all, Release, 1)
      }]
      %1 = aie.dma(S2MM, 1) {loop = false} [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 1)
        aie.use_lock(%open, Release, 1)
      }]
      %2 = aie.dma(MM2S, 0) {loop = false} [{
        aie.use_lock(%all, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 4)
      }]
      aie.end
    }
    %4 = aie.mem(%far) {
      %0 = aie.dma(S2MM, 0) [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 1)
      }]
      %1 = aie.dma(S2MM, 1) {loop = false} [{
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 7)
        aie.use_lock(%come, Release, 1)
      }]
      %2 = aie.dma(MM2S, 0) {loop = false} [{
        aie.use_lock(%come, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<16xi32> offset = 0 len = 1)
      }]
      aie.end
    }
    %5 = aie.switchbox(%from) {
      %0 = aie.amsel<0> (0)
      aie.masterset(East : 0, %0)
      aie.packet_rules(DMA : 0) {
        aie.rule(0, 0, %0)
      }
    }
    %6 = aie.switchbox(%near) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      %2 = aie.amsel<0> (2)
      aie.masterset(DMA : 0, %0, %1)
      aie.masterset(East : 0, %1, %2)
      aie.packet_rules(West : 0) {
        aie.rule(31, 1, %0)
        aie.rule(31, 2, %1)
        aie.rule(31, 3, %2)
      }
      aie.connect<East : 3, DMA : 1>
      aie.connect<DMA : 0, South : 1>
    }
    %7 = aie.switchbox(%far) {
      %0 = aie.amsel<0> (0)
      %1 = aie.amsel<0> (1)
      aie.masterset(DMA : 0, %0)
      aie.masterset(DMA : 1, %1)
      aie.packet_rules(West : 0) {
        aie.rule(31, 2, %0)
        aie.rule(31, 3, %1)
      }
      aie.packet_rules(North : 0) {
        aie.rule(31, 3, %1)
      }
      aie.connect<DMA : 0, West : 3>
    }
    %8 = aie.switchbox(%other) {
      %0 = aie.amsel<0> (0)
      aie.masterset(South : 0, %0)
      aie.packet_rules(DMA : 0) {
        aie.rule(31, 3, %0)
      }
    }
    %9 = aie.switchbox(%below) {
      aie.connect<North : 1, South : 1>
    }
    %10 = aie.switchbox(%shim) {
      aie.connect<North : 1, South : 2>
    }
    %11 = aie.shim_mux(%shim) {
      aie.connect<North : 2, DMA : 0>
    }
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
    aie.runtime_sequence(%x: memref<4xi32>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
